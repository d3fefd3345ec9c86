/**
 * `data-testid` of everything a test may look for; part of the contract with tests/e2e.
 * State is read from `data-*` attributes beside it, never from a translated text:
 * - session-row: `data-session`, `data-state` (SessionState), `aria-current` on the one shown
 * - transcript: `data-session`, `data-busy` (true|false)
 * - message-user, message-assistant: `data-message`; the latter also `data-status` (streaming|done|interrupted|failed)
 * - tool-card: `data-tool-call`, `data-tool`, `data-status` (ToolItemStatus)
 * - approval-card, question-card: `data-tool-call`; their buttons are `disabled` for the first 500 ms
 * - turn-ended: `data-turn`, `data-reason` (EndReason)
 * - queue-item: `data-message`
 * - model-option: `data-model` (provider/model); permission-option: `data-mode`
 * - provider-row: `data-provider`, `data-check` (none|running|<diagnosis code>)
 * - banner: `data-code`; problem: `data-code` (an error explained in its place)
 */
export const testIds = {
  sessionList: 'session-list',
  sessionRow: 'session-row',
  newSession: 'new-session',
  openFolder: 'open-folder',
  folderDialog: 'folder-dialog',
  folderPath: 'folder-path',
  folderOpen: 'folder-open',
  folderChoose: 'folder-choose',
  folderRecent: 'folder-recent',
  trustDialog: 'trust-dialog',
  trustAccept: 'trust-accept',
  trustReadOnly: 'trust-read-only',
  trustOther: 'trust-other',
  transcript: 'transcript',
  toLatest: 'to-latest',
  messageUser: 'message-user',
  messageAssistant: 'message-assistant',
  thinking: 'thinking',
  toolCard: 'tool-card',
  toolOutput: 'tool-output',
  toolStop: 'tool-stop',
  approvalCard: 'approval-card',
  approvalAllowOnce: 'approval-allow-once',
  approvalAllowSession: 'approval-allow-session',
  approvalAllowAlways: 'approval-allow-always',
  approvalDeny: 'approval-deny',
  approvalReason: 'approval-reason',
  approvalDenySend: 'approval-deny-send',
  questionCard: 'question-card',
  questionOption: 'question-option',
  questionText: 'question-text',
  questionSend: 'question-send',
  questionSkip: 'question-skip',
  turnEnded: 'turn-ended',
  resume: 'resume',
  retry: 'retry',
  notice: 'notice',
  problem: 'problem',
  composer: 'composer',
  composerInput: 'composer-input',
  send: 'send',
  stop: 'stop',
  queue: 'queue',
  queueItem: 'queue-item',
  queueTakeBack: 'queue-take-back',
  modelPicker: 'model-picker',
  modelSearch: 'model-search',
  modelOption: 'model-option',
  permissionPicker: 'permission-picker',
  permissionOption: 'permission-option',
  banner: 'banner',
  connectionLost: 'connection-lost',
  connectionRetry: 'connection-retry',
  toast: 'toast',
  inspector: 'inspector',
  inspectorToggle: 'inspector-toggle',
  sideToggle: 'side-toggle',
  status: 'status',
  settings: 'settings',
  settingsNav: 'settings-nav',
  configRow: 'config-row',
  providerRow: 'provider-row',
  providerKey: 'provider-key',
  providerSave: 'provider-save',
  providerCheck: 'provider-check',
  welcome: 'welcome',
  runDemo: 'run-demo',
  skipWelcome: 'skip-welcome',
} as const
