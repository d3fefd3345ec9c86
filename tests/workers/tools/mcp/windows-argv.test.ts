/** Scripts on Windows, as cmd.exe reads them. Expected lines follow Microsoft's rules for cmd and CommandLineToArgvW; nothing is run. */
import { expect, test } from 'vitest'
import { windowsArgv } from '#workers/tools/mcp/windows-argv.ts'

const env = { PATH: 'C:\\nodejs;C:\\tools', PATHEXT: '.COM;.EXE;.BAT;.CMD', ComSpec: 'C:\\Windows\\System32\\cmd.exe' }
const having =
  (...paths: string[]) =>
  (path: string): Promise<boolean> =>
    Promise.resolve(paths.includes(path))
const shell = ['C:\\Windows\\System32\\cmd.exe', '/d', '/s', '/c']

test('npx is npx.cmd, which only the interpreter can run, with every sign of its own taken from it', async () => {
  expect(await windowsArgv(['npx', '-y', 'a&calc', '%PATH%', '50" ^'], env, 'C:\\ws', having('C:\\nodejs\\npx.cmd'))).toEqual({
    argv: [...shell, '"C:\\nodejs\\npx.cmd ^"-y^" ^"a^&calc^" ^"^%PATH^%^" ^"50\\^"^ ^^^""'],
    verbatim: true,
  })
})

test('a program is run as it is, and PATHEXT decides which of two it is', async () => {
  const both = having('C:\\nodejs\\node.exe', 'C:\\nodejs\\node.cmd')
  expect(await windowsArgv(['node', 'a b&c'], env, 'C:\\ws', both)).toEqual({ argv: ['C:\\nodejs\\node.exe', 'a b&c'], verbatim: false })
})

test('a script of npm’s hands its arguments to the interpreter twice, so they are escaped twice', async () => {
  const path = 'C:\\ws\\node_modules\\.bin\\tool.cmd'
  expect(await windowsArgv(['.\\node_modules\\.bin\\tool.cmd', 'a&b'], env, 'C:\\ws', having(path))).toEqual({
    argv: [...shell, `"${path} ^^^"a^^^&b^^^""`],
    verbatim: true,
  })
})

test('what is not found stays as it was written, so that the failure names it', async () => {
  expect(await windowsArgv(['nothing'], env, 'C:\\ws', having())).toEqual({ argv: ['nothing'], verbatim: false })
})
