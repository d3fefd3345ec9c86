/** An attached file is kept in the workspace, where the model's tools can read it by its path. */
import { constants } from 'node:fs'
import { mkdir, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#contracts/wire/app-error.ts'

const FOLDER = ['.metona', 'attachments'] as const
const ATTEMPTS = 1000

/**
 * @returns its path from the workspace, with `/`; a taken name gets a number.
 * @throws AppError ATTACHMENT_REFUSED when the folder is not where it seems to be, or cannot be written.
 */
export async function keepAttachment(workspace: string, name: string, bytes: Buffer): Promise<string> {
  try {
    const root = await realpath(workspace)
    const folder = join(root, ...FOLDER)
    await mkdir(folder, { recursive: true })
    // A link put there would lead out of the workspace.
    if ((await realpath(folder)) !== folder) throw new Error(`${folder} is a link`)
    const { stem, ending } = splitName(name)
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const file = `${stem}${attempt === 1 ? '' : `-${attempt}`}${ending}`
      if (await writeNew(join(folder, file), bytes)) return [...FOLDER, file].join('/')
    }
    throw new Error(`there are ${ATTEMPTS} files named ${stem}${ending}`)
  } catch (error) {
    throw new AppError({ code: 'ATTACHMENT_REFUSED', message: error instanceof Error ? error.message : String(error) })
  }
}

async function writeNew(path: string, bytes: Buffer): Promise<boolean> {
  try {
    const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
    try {
      await handle.writeFile(bytes)
    } finally {
      await handle.close()
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** One plain name: no folders, no hidden file, nothing that a file system or a person would misread. */
function splitName(name: string): { stem: string; ending: string } {
  const plain =
    name
      .split(/[\\/]/)
      .at(-1)
      ?.normalize('NFC')
      .replace(/[^\p{L}\p{N}._ -]/gu, '_')
      .replace(/^[. ]+|[. ]+$/g, '')
      .slice(-80) ?? ''
  const cut = plain.lastIndexOf('.')
  const [stem, ending] = cut > 0 ? [plain.slice(0, cut), plain.slice(cut)] : [plain, '']
  return { stem: stem === '' || /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? 'file' : stem, ending }
}
