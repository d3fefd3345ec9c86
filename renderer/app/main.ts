// First, before any contract makes its schemas.
import './strict-csp.ts'
import './styles/main.css'
import { i18n } from '#renderer/locales/i18n.ts'
import { useApprovalsStore } from '#renderer/stores/approvals.ts'
import { useConfigStore } from '#renderer/stores/config.ts'
import { useConnectionStore } from '#renderer/stores/connection.ts'
import { useProvidersStore } from '#renderer/stores/providers.ts'
import { useSessionsStore } from '#renderer/stores/sessions.ts'
import { useSessionViewStore } from '#renderer/stores/session-view.ts'
import { useWorkspacesStore } from '#renderer/stores/workspaces.ts'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './app.vue'

const app = createApp(App).use(createPinia()).use(i18n)

// In this order each store takes up its state after connecting: looks, folders, list, providers, the session shown.
const connection = useConnectionStore()
useConfigStore()
useWorkspacesStore()
useSessionsStore()
useProvidersStore()
useSessionViewStore()
useApprovalsStore()

app.mount('#app')
connection.start()
