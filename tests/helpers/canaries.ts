/** Secrets planted to see where they come out again. Forms and search are Node's own, nothing of the app's redactor. */
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

export interface Canary {
  readonly name: string
  readonly value: string
}

/** A value no pattern of a vendor matches, with characters that encodings change. */
export function makeCanary(name: string): Canary {
  return {
    name,
    value: `canary/${randomBytes(9).toString('hex')}+${name.toLowerCase().replaceAll(/[^a-z]/g, '')}=${randomBytes(5).toString('hex')}`,
  }
}

/** Each form as bytes: raw, JSON-escaped, URL-encoded, base64 wherever it begins, UTF-16. */
export function formsOf({ value }: Canary): { form: string; bytes: Buffer }[] {
  const forms: { form: string; bytes: Buffer }[] = []
  const add = (form: string, text: string): void => void forms.push({ form, bytes: Buffer.from(text) })
  add('raw', value)
  add('JSON', JSON.stringify(value).slice(1, -1))
  add('JSON twice', JSON.stringify(JSON.stringify(value)).slice(3, -3))
  add('JSON with escaped slashes', value.replaceAll('/', '\\/'))
  add('URL', encodeURIComponent(value))
  add(
    'URL, small hex',
    encodeURIComponent(value).replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  )
  for (const encoding of ['base64', 'base64url'] as const)
    for (const shift of [0, 1, 2])
      add(
        `${encoding} ${shift}`,
        Buffer.from(`${'.'.repeat(shift)}${value}`)
          .toString(encoding)
          .slice([0, 2, 3][shift], -4),
      )
  forms.push({ form: 'UTF-16 LE', bytes: Buffer.from(value, 'utf16le') })
  forms.push({ form: 'UTF-16 BE', bytes: Buffer.from(value, 'utf16le').swap16() })
  forms.push({ form: 'hex', bytes: Buffer.from(Buffer.from(value).toString('hex')) })
  return forms
}

/** Where a canary turns up in `bytes`, one sentence each. */
export function findCanaries(where: string, bytes: Buffer, canaries: readonly Canary[]): string[] {
  return canaries.flatMap((canary) =>
    formsOf(canary).flatMap(({ form, bytes: wanted }) => {
      const at = bytes.indexOf(wanted)
      if (at < 0) return []
      return [
        `${where}: ${canary.name} (${form}) in …${bytes
          .subarray(Math.max(0, at - 120), at)
          .toString('utf8')
          .replaceAll(/[^\x20-\x7e]+/g, '·')}`,
      ]
    }),
  )
}

/** Every file below `folder`, whatever it is. `except` are names of files the test itself put there. */
export async function searchFolder(
  folder: string,
  canaries: readonly Canary[],
  except: readonly string[],
): Promise<{ found: string[]; files: number; bytes: number }> {
  const found: string[] = []
  let files = 0
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || except.includes(entry.name)) continue
    const file = path.join(entry.parentPath, entry.name)
    const content = await readFile(file)
    files += 1
    bytes += content.length
    found.push(
      ...findCanaries(path.relative(folder, file), content, canaries),
      ...findCanaries(`the name of ${entry.name}`, Buffer.from(entry.name), canaries),
    )
  }
  return { found, files, bytes }
}
