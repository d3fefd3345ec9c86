import type { Messages } from '../en/index.ts'
import { app } from './app.ts'
import { approval } from './approval.ts'
import { banner } from './banner.ts'
import { composer } from './composer.ts'
import { context } from './context.ts'
import { command } from './command.ts'
import { count } from './count.ts'
import { errors } from './errors.ts'
import { diagnosis } from './provider-errors.ts'
import { files } from './files.ts'
import { folder } from './folder.ts'
import { frame } from './frame.ts'
import { inspector } from './inspector.ts'
import { log } from './log.ts'
import { timing } from './timing.ts'
import { changes } from './changes.ts'
import { keys } from './keys.ts'
import { memory } from './memory.ts'
import { mcp } from './mcp.ts'
import { message } from './message.ts'
import { model } from './model.ts'
import { models } from './models.ts'
import { notice } from './notice.ts'
import { palette } from './palette.ts'
import { permission } from './permission.ts'
import { pipeline } from './pipeline.ts'
import { provider } from './provider.ts'
import { session } from './session.ts'
import { settings } from './settings.ts'
import { side } from './side.ts'
import { state } from './state.ts'
import { status } from './status.ts'
import { thinking } from './thinking.ts'
import { time } from './time.ts'
import { tool } from './tool.ts'
import { todo } from './todo.ts'
import { toolStatus } from './tool-status.ts'
import { trust } from './trust.ts'
import { turn } from './turn.ts'
import { usage } from './usage.ts'
import { welcome } from './welcome.ts'

export const zhCn: Messages = {
  app,
  state,
  toolStatus,
  time,
  count,
  frame,
  side,
  session,
  thinking,
  memory,
  message,
  tool,
  todo,
  turn,
  notice,
  approval,
  composer,
  context,
  command,
  model,
  permission,
  palette,
  folder,
  trust,
  welcome,
  settings,
  files,
  models,
  usage,
  pipeline,
  provider,
  mcp,
  banner,
  status,
  inspector,
  log,
  timing,
  changes,
  keys,
  error: errors,
  diagnosis,
}
