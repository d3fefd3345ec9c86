/** The lines of a batch file, all checked before any of them runs. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { UsageError } from './arguments.ts'
import type { Language } from './language.ts'
import { isModel } from './session-settings.ts'

export interface BatchLine {
  /** Its number in the file, from 1; blank lines count. */
  readonly line: number
  readonly prompt: string
  /** Absolute. */
  readonly workspace: string
  readonly model?: string | undefined
  readonly id?: string | undefined
  readonly session?: string | undefined
}

type Reason = 'json' | 'object' | 'prompt' | 'text' | 'model' | 'folder' | 'twice'

const REASONS: Readonly<Record<Reason, Readonly<Record<Language, string>>>> = {
  json: { en: 'it is no JSON', zh: '不是 JSON' },
  object: { en: 'it is no JSON object', zh: '不是 JSON 对象' },
  prompt: { en: '"prompt" is missing or empty', zh: '缺少“prompt”或为空' },
  text: { en: '"workspace", "model", "id" and "session" must be text', zh: '“workspace”“model”“id”“session”必须是文本' },
  model: { en: '"model" must be written PROVIDER/MODEL', zh: '“model”必须写作 PROVIDER/MODEL' },
  folder: { en: '"workspace" is no folder', zh: '“workspace”不是文件夹' },
  twice: { en: 'its "id" stands in an earlier line too', zh: '“id”与前面的行重复' },
}

/**
 * @param folder workspace of lines that name none; relative ones are relative to the current folder.
 * @throws UsageError BAD_LINE for the first bad line, NO_LINES when there is none to run.
 */
export async function readBatchLines(
  content: string,
  { file, folder, language }: { file: string; folder: string; language: Language },
): Promise<BatchLine[]> {
  const lines: BatchLine[] = []
  const ids = new Set<string>()
  const folders = new Map<string, Promise<boolean>>()
  for (const [index, text] of content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (text.trim() === '') continue
    const bad = (reason: Reason): UsageError =>
      new UsageError('BAD_LINE', { file, line: String(index + 1), reason: REASONS[reason][language] })
    const fields = parseFields(text, bad)
    const workspace = path.resolve(fields.workspace ?? folder)
    const known = folders.get(workspace) ?? isFolder(workspace)
    folders.set(workspace, known)
    if (!(await known)) throw bad('folder')
    if (fields.id !== undefined && ids.has(fields.id)) throw bad('twice')
    if (fields.id !== undefined) ids.add(fields.id)
    lines.push({ line: index + 1, ...fields, workspace })
  }
  if (lines.length === 0) throw new UsageError('NO_LINES', { file })
  return lines
}

function parseFields(
  text: string,
  bad: (reason: Reason) => UsageError,
): Omit<BatchLine, 'line' | 'workspace'> & { workspace?: string | undefined } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw bad('json')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad('object')
  const { prompt, workspace, model, id, session } = value as Record<string, unknown>
  if (typeof prompt !== 'string' || prompt.trim() === '') throw bad('prompt')
  if (!isOptionalText(workspace) || !isOptionalText(model) || !isOptionalText(id) || !isOptionalText(session)) throw bad('text')
  if (model !== undefined && !isModel(model)) throw bad('model')
  return { prompt, workspace, model, id, session }
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '')
}

function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (entry) => entry.isDirectory(),
    () => false,
  )
}
