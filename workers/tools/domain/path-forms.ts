/** Spellings of a path that are refused on every system, whatever they would point to. */

export type PathPlatform = 'posix' | 'win32'

const MAX_PATH_BYTES = 4096
const MAX_NAME_BYTES = 255
const DEVICE_NAME = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$|clock\$)[ .]*(\..*)?$/i

/** Why this spelling is refused, or nothing. Pure: looks at the text only. */
export function refusePathForm(path: string, platform: PathPlatform): string | undefined {
  if (path.trim() === '') return 'the path is empty'
  // eslint-style ranges are spelled out: NUL and every other control character.
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'the path holds a control character'
  if (utf8Length(path) > MAX_PATH_BYTES) return `the path is longer than ${MAX_PATH_BYTES} bytes`
  if (/^[\\/]{2}/.test(path)) return 'network and device paths (\\\\server\\share, \\\\?\\, //server/share) are not allowed'
  if (/^[a-z][a-z0-9+.-]+:(\/\/|\/|\\)/i.test(path) || /^(file|data|http|https|javascript):/i.test(path))
    return 'a URL is not a path; write the plain file path'
  const drive = /^[A-Za-z]:/.test(path)
  if (drive && !(platform === 'win32' && /^[A-Za-z]:[\\/]/.test(path)))
    return 'drive letters are not allowed here; write a path relative to the workspace'
  if (platform === 'posix' && path.includes('\\')) return 'the path holds a backslash; separate folders with /'
  const rest = drive ? path.slice(2) : path
  if (/^~($|\/|\\)/.test(rest)) return '~ is not expanded; write a path relative to the workspace or an absolute one'
  for (const name of rest.split(platform === 'win32' ? /[\\/]/ : '/')) {
    if (name.includes(':')) return `"${name}" holds a colon (a drive or an alternate data stream)`
    if (DEVICE_NAME.test(name)) return `"${name}" is a device name on Windows`
    if (platform === 'win32' && /[. ]$/.test(name) && !/^\.{1,2}$/.test(name))
      return `"${name}" ends with a dot or a space, which Windows drops`
    if (utf8Length(name) > MAX_NAME_BYTES) return `a name in the path is longer than ${MAX_NAME_BYTES} bytes`
  }
  return undefined
}

function utf8Length(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}
