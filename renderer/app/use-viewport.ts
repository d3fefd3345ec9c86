/** The window's width class, as the layout table of the design names them. */
import { onScopeDispose, ref, type Ref } from 'vue'

export type Viewport = 'phone' | 'rail' | 'drawer' | 'wide'

export function viewportOf(width: number): Viewport {
  if (width < 600) return 'phone'
  if (width < 960) return 'rail'
  return width < 1200 ? 'drawer' : 'wide'
}

export function useViewport(): Ref<Viewport> {
  const viewport = ref(viewportOf(window.innerWidth))
  const update = (): void => {
    viewport.value = viewportOf(window.innerWidth)
  }
  window.addEventListener('resize', update)
  onScopeDispose(() => window.removeEventListener('resize', update))
  return viewport
}
