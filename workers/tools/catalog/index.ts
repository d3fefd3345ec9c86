/** Every built-in tool. The order is the one the model sees. */
import type { Tool } from '../define-tool.ts'
import { analyzeCsvTool } from './analyze-csv.ts'
import { askUserTool } from './ask-user.ts'
import { commandOutputTool } from './command-output.ts'
import { editFileTool } from './edit-file.ts'
import { fetchUrlTool } from './fetch-url.ts'
import { findFilesTool } from './find-files.ts'
import { listDirectoryTool } from './list-directory.ts'
import { readFileTool } from './read-file.ts'
import { recallTool } from './recall.ts'
import { rememberTool } from './remember.ts'
import { runCommandTool } from './run-command.ts'
import { searchTextTool } from './search-text.ts'
import { stopCommandTool } from './stop-command.ts'
import { updateTodoTool } from './update-todo.ts'
import { writeFileTool } from './write-file.ts'

export const catalog: readonly Tool[] = [
  readFileTool,
  writeFileTool,
  editFileTool,
  listDirectoryTool,
  findFilesTool,
  searchTextTool,
  runCommandTool,
  commandOutputTool,
  stopCommandTool,
  analyzeCsvTool,
  fetchUrlTool,
  rememberTool,
  recallTool,
  updateTodoTool,
  askUserTool,
]
