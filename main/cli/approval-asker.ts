/** Puts a call that needs a person's word to the person at the terminal. */
import { createInterface, type Interface } from 'node:readline'
import type { SessionEvent, SessionEventOf } from '#contracts/session/session-event.ts'
import { approvalReasonText } from '#contracts/tools/approval-reasons.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { Client, Input } from './client.ts'
import type { Speech } from './explain-error.ts'
import { fill } from './fill.ts'
import { plainText } from './plain-text.ts'

export interface ApprovalAsker {
  event(event: SessionEvent): void
  close(): void
}

export interface AskerOptions extends Speech {
  readonly client: Pick<Client, 'call'>
  readonly input: NodeJS.ReadableStream
  /** A line of its own on the terminal. */
  say(line: string): void
  /** Without a line break: the cursor waits behind it. */
  ask(question: string): void
}

type Request = SessionEventOf<'permission_request'>
type Question = NonNullable<Request['question']>
type Said = Pick<Input<'session.answer'>, 'decision' | 'scope' | 'answer'>

/** One question at a time, oldest first; one that was settled elsewhere (by the clock, say) is taken back. */
export function askForApproval(options: AskerOptions): ApprovalAsker {
  const waiting: Request[] = []
  let lines: Interface | undefined

  const show = (): void => {
    const request = waiting[0]
    if (request === undefined) {
      // Reading on would keep the process from ending.
      lines?.close()
      lines = undefined
      return
    }
    // Lines as the terminal gives them, no raw mode: Ctrl+C stays a signal.
    lines ??= createInterface({ input: options.input, terminal: false }).on('line', answer)
    if (request.question !== undefined) return showQuestion(request.question)
    options.say(fill(options.text.approvalTitle, { tool: request.tool, reason: plainText(reasonOf(request)) }))
    for (const line of plainText(request.display).split('\n')) options.say(`  ${line}`)
    if (request.sandboxed !== undefined) options.say(request.sandboxed ? options.text.approvalSandboxed : options.text.approvalUnheld)
    if (request.domains !== undefined) options.say(fill(options.text.approvalDomains, { domains: request.domains.join(', ') }))
    options.ask(choicesOf(request))
  }

  const reasonOf = ({ reason, reasonParams: params }: Request): string =>
    approvalReasonText({ code: reason, ...(params === undefined ? {} : { params }) }, options.language)

  const choicesOf = (request: Request): string => {
    const { approvalQuestion, approvalQuestionEdits, approvalQuestionGrant } = options.text
    if (request.grantPrefix !== undefined) return approvalQuestionGrant
    return request.sessionGrant === undefined ? approvalQuestion : approvalQuestionEdits
  }

  const showQuestion = ({ text, options: choices = [] }: Question): void => {
    for (const line of plainText(text).split('\n')) options.say(line)
    for (const [index, choice] of choices.entries()) options.say(`  ${index + 1}  ${plainText(choice)}`)
    options.ask(options.text.answerPrompt)
  }

  const answer = (line: string): void => {
    const request = waiting[0]
    if (request === undefined) return
    const said = request.question === undefined ? understandApproval(line, request) : understandAnswer(line, request.question)
    if (said === undefined) return options.ask(choicesOf(request))
    waiting.shift()
    const { sessionId, toolCallId, argumentsHash } = request
    options.client
      .call('session.answer', { sessionId, toolCallId, argumentsHash, ...said })
      .catch((error: unknown) => options.say(toErrorData(error).message))
    show()
  }

  return {
    event: (event) => {
      if (event.event === 'permission_request') {
        waiting.push(event)
        if (waiting.length === 1) show()
        return
      }
      if (event.event !== 'permission' && event.event !== 'turn_end') return
      const wasFirst = waiting[0]
      const left = event.event === 'turn_end' ? [] : waiting.filter((request) => request.toolCallId !== event.toolCallId)
      if (left.length === waiting.length) return
      waiting.splice(0, waiting.length, ...left)
      if (waiting[0] !== wasFirst) show()
    },
    close: () => {
      waiting.length = 0
      lines?.close()
      lines = undefined
    },
  }
}

/** @returns undefined for what is none of the choices shown. */
function understandApproval(line: string, { grantPrefix, sessionGrant }: Request): Said | undefined {
  const word = line.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return { decision: 'allow', scope: 'once' }
  if (word === 's' && (grantPrefix ?? sessionGrant) !== undefined) return { decision: 'allow', scope: 'session' }
  if (word === 'a' && grantPrefix !== undefined) return { decision: 'allow', scope: 'always' }
  return ['n', 'no', ''].includes(word) ? { decision: 'deny' } : undefined
}

/** The number of a choice stands for its text; nothing at all means that the person does not want to answer. */
function understandAnswer(line: string, { options = [] }: Question): Said {
  const text = line.trim()
  if (text === '') return { decision: 'deny' }
  return { decision: 'allow', answer: (/^\d+$/.test(text) ? options[Number(text) - 1] : undefined) ?? text }
}
