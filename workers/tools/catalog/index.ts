/** Every built-in tool. The order is the one the model sees. */
import type { Tool } from '../define-tool.ts'
import { analyzeCsvTool } from './analyze-csv.ts'
import { listDirectoryTool } from './list-directory.ts'
import { readFileTool } from './read-file.ts'
import { runCommandTool } from './run-command.ts'
import { writeFileTool } from './write-file.ts'

export const catalog: readonly Tool[] = [readFileTool, writeFileTool, listDirectoryTool, runCommandTool, analyzeCsvTool]
