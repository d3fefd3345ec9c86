/** Whether a file of settings holds a token: its name does not say, so its text is looked at. */
import { foldName } from '../domain/protected-paths.ts'
import { readRegularFile } from './read-regular-file.ts'

const MAX_BYTES = 1024 * 1024
/** Settings of package managers and their like: most hold none, and builds need them; those that do are masked whole. */
export const MAY_HOLD_TOKENS: readonly string[] = [
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  'bunfig.toml',
  'pip.conf',
  '.condarc',
  '.curlrc',
  '.wgetrc',
  '.dockercfg',
  '.docker/config.json',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  'nuget.config',
  '.my.cnf',
]
/** A key and its sign, then the first of what it is given. Every part is bounded: whoever wrote the file may want this to take long. */
const KEY =
  /(?:_authToken|_auth|_password|npmAuthToken|npmAuthIdent|password|passwd|identitytoken|registrytoken|"auth"|bearer|token|ClearTextPassword["']?\s{1,100}value)["']?[ \t]{0,100}[=:][ \t]{0,100}["']?(?=([^\s"',}]{0,4}))/gi
const IN_ADDRESS = /:\/\/[^\s/"':@]{1,200}:(?!\$)[^\s/"'@]{1,200}@/

function textHoldsToken(text: string): boolean {
  if (IN_ADDRESS.test(text)) return true
  // A value, not the name of a variable that holds one.
  for (const [, value = ''] of text.matchAll(KEY)) if (value.length === 4 && !/^\$\{?\w/.test(value)) return true
  return false
}

/** @param segments names of a path; the last two count. */
export function nameMayHoldToken(segments: readonly string[]): boolean {
  const name = `/${segments.map(foldName).join('/')}`
  return MAY_HOLD_TOKENS.some((ending) => name.endsWith(`/${ending}`))
}

/**
 * @param path its real path.
 * @param segments names of the path, below the workspace or all of them.
 */
export async function holdsToken(path: string, segments: readonly string[]): Promise<boolean> {
  if (!nameMayHoldToken(segments)) return false
  return textHoldsToken((await readRegularFile(path, MAX_BYTES))?.toString() ?? '')
}
