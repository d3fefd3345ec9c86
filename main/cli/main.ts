/** From argv to an exit code. Loads the one command that was asked for and nothing else. */
import path from 'node:path'
import { AGENT_VERSION } from '#main/host/agent-version.ts'
import { nearest, parseArguments, UsageError } from './arguments.ts'
import { COMMAND_TABLE, findCommand, GLOBAL_OPTIONS, type FoundCommand } from './command-table.ts'
import type { CommandContext } from './command-context.ts'
import { ExitCode } from './exit-code.ts'
import { explainError, type Speech } from './explain-error.ts'
import { fill } from './fill.ts'
import { listenForInterruption } from './interruption.ts'
import { environmentLanguage, type Language } from './language.ts'
import { messagesEn } from './messages-en.ts'
import { messagesZh } from './messages-zh.ts'
import { openOutput, type Output } from './output.ts'

/** A reader that does not read may hold the last output back this long when the process must end at once. */
const LAST_WORDS_MS = 200

/** Runs the command line and ends the process. */
export async function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const out = openOutput(1)
  const err = openOutput(2)
  const speech = speak(languageOf(argv, environment))
  const interruption = listenForInterruption((code) => void endNow(code, out, err))
  process.on('uncaughtException', (error) => {
    err.line(explainError(error, speech).text)
    void endNow(ExitCode.FAILED, out, err)
  })

  let code: ExitCode
  let found: FoundCommand | undefined
  try {
    found = findCommand(argv)
    if (found === undefined) code = await withoutCommand(argv, speech, out)
    else if (wantsHelp(found.rest)) code = await showHelp(found.name, speech, out)
    else {
      const parsed = parseArguments(found.rest, { ...GLOBAL_OPTIONS, ...found.entry.options })
      checkWords(found, parsed.words)
      const command = await found.entry.load()
      const context: CommandContext = {
        ...speech,
        arguments: parsed,
        json: parsed.flags.has('json'),
        out,
        err,
        environment,
        folder: path.resolve(parsed.values['workspace'] ?? '.'),
        interruption,
      }
      code = await command(context)
    }
  } catch (error) {
    const { text, exit } = explainError(error, speech)
    err.line(text)
    if (error instanceof UsageError && found !== undefined) err.line(`  ${fill(speech.text.usageHint, { command: found.name })}`)
    code = exit
  }
  await Promise.all([out.flushed(), err.flushed()])
  process.exit(code)
}

function speak(language: Language): Speech {
  return { language, text: language === 'zh' ? messagesZh : messagesEn }
}

/** Known before the command line is parsed, so that a wrong one is answered in the right language too. */
function languageOf(argv: readonly string[], environment: NodeJS.ProcessEnv): Language {
  const index = argv.findIndex((argument) => argument === '--lang' || argument.startsWith('--lang='))
  const chosen = index < 0 ? undefined : argv[index] === '--lang' ? argv[index + 1] : argv[index]?.slice('--lang='.length)
  return chosen === 'zh' || chosen === 'en' ? chosen : environmentLanguage(environment)
}

function wantsHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf('--')
  const options = end < 0 ? rest : rest.slice(0, end)
  return options.includes('--help') || options.includes('-h')
}

async function withoutCommand(argv: readonly string[], speech: Speech, out: Output): Promise<ExitCode> {
  const words = argv.filter((argument) => !argument.startsWith('-') && argument !== speech.language)
  const first = words[0]
  if (argv.includes('--version') || argv.includes('-V')) {
    out.line(AGENT_VERSION)
    return ExitCode.DONE
  }
  if (first === undefined || first === 'help' || argv.includes('--help') || argv.includes('-h'))
    return showHelp((first === 'help' ? words.slice(1) : words).join(' '), speech, out)
  const names = Object.keys(COMMAND_TABLE)
  if (names.some((name) => name.startsWith(`${first} `)) && words[1] === undefined) return showHelp(first, speech, out)
  const group = names.filter((name) => name.startsWith(`${first} `))
  const asked = group.length > 0 ? `${first} ${words[1] ?? ''}` : first
  throw new UsageError('UNKNOWN_COMMAND', { command: asked, known: nearest(asked, group.length > 0 ? group : names) })
}

async function showHelp(topic: string, speech: Speech, out: Output): Promise<ExitCode> {
  const { helpText } = await import('./help.ts')
  out.write(helpText(topic, speech.language))
  return ExitCode.DONE
}

function checkWords({ entry }: FoundCommand, words: readonly string[]): void {
  const [least, most] = entry.words
  if (words.length < least) throw new UsageError('WORD_MISSING', { what: least > words.length + 1 ? 'KEY VALUE' : 'an argument' })
  if (words.length > most) throw new UsageError('WORD_UNEXPECTED', { word: words[most] as string })
}

async function endNow(code: ExitCode, out: Output, err: Output): Promise<void> {
  const flushed = Promise.all([out.flushed(), err.flushed()]).then(() => true)
  const settled = await Promise.race([flushed, new Promise<false>((resolve) => setTimeout(() => resolve(false), LAST_WORDS_MS))])
  // A write that is stuck in a full pipe would keep a normal exit waiting for ever.
  if (!settled && process.platform !== 'win32') {
    process.removeAllListeners('SIGINT')
    process.kill(process.pid, 'SIGINT')
  }
  process.exit(code)
}
