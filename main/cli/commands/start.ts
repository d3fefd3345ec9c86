/** `metona start`: what `npm start` runs. The desktop window, else the page in a browser, else a demonstration in the terminal. */
import { access } from 'node:fs/promises'
import path from 'node:path'
import type { CommandContext } from '../command-context.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import { withApp } from '../open-app.ts'
import { openDesktopWindow, type NoWindow } from '../desktop-window.ts'
import { BUNDLES, ROOT } from '../places.ts'
import { runTurn } from './run.ts'
import { serveWeb } from './serve.ts'

export async function start(context: CommandContext): Promise<ExitCode> {
  const { flags, numbers } = context.arguments
  if (!flags.has('web')) {
    const window = await showWindow(context)
    if (typeof window === 'number') return window as ExitCode
    context.err.line(whyNot(context, window))
  }
  if (await exists(path.join(BUNDLES, 'renderer', 'index.html')))
    return serveWeb(context, { port: numbers['port'] ?? 0, open: !flags.has('no-open') })
  return demonstrate(context)
}

async function showWindow({ environment, interruption }: CommandContext): Promise<number | NoWindow> {
  let end: (signal: NodeJS.Signals) => void = () => undefined
  // Ctrl+C reaches the window's process too; it settles and ends by itself.
  const forget = interruption.handle(() => end('SIGTERM'))
  try {
    return await openDesktopWindow({
      root: ROOT,
      main: path.join(BUNDLES, 'electron', 'main.js'),
      environment,
      onShown: (kill) => {
        end = kill
      },
    })
  } finally {
    forget()
  }
}

function whyNot({ text }: CommandContext, window: NoWindow): string {
  switch (window.reason) {
    case 'not_installed':
      return text.windowNotInstalled
    case 'not_built':
      return text.windowNotBuilt
    case 'no_display':
      return text.windowNoDisplay
    case 'ended':
      return fill(text.windowEnded, { code: window.code })
  }
}

/** The scripted model on a sample folder: real workers, real tools, no key, no network. */
async function demonstrate(context: CommandContext): Promise<ExitCode> {
  const { text, language, err } = context
  err.line(text.startDemo)
  let folder = ''
  const made = await withApp(context, { warm: ['storage'] }, async ({ client }) => {
    folder = (await client.call('workspace.sample', { language })).path
    return ExitCode.DONE
  })
  if (made !== ExitCode.DONE) return made
  err.line(fill(text.startFolder, { path: folder }))
  err.line(fill(text.startPrompt, { prompt: text.samplePrompt }))
  const exit = await runTurn(
    { ...context, folder },
    { prompt: text.samplePrompt, settings: { model: 'demo/scripted' }, trust: 'stored', strict: false, deltas: false },
  )
  err.line(text.startNext)
  return exit
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
