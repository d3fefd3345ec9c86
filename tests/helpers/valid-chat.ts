/** What a Chat Completions server checks of a message list, independent of the adapters. */
import type { FakeRequest } from './fake-provider-types.ts'

export interface ChatMessage {
  readonly role: string
  readonly content?: string | null
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[]
  readonly tool_call_id?: string
}

export function messagesOf(request: FakeRequest | undefined): ChatMessage[] {
  return (request?.body as { messages?: ChatMessage[] } | undefined)?.messages ?? []
}

/** What a strict server would refuse, one sentence each: a call without exactly one result right behind it, a result without a call. */
export function chatProblems(messages: readonly ChatMessage[]): string[] {
  const problems: string[] = []
  let open = new Map<string, number>()
  const close = (): void => {
    for (const [id, count] of open) if (count !== 1) problems.push(`call ${id} has ${count} results`)
    open = new Map()
  }
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      const id = message.tool_call_id ?? ''
      if (open.has(id)) open.set(id, (open.get(id) ?? 0) + 1)
      else problems.push(`message ${index} is a result of ${id}, which was not called just before`)
      return
    }
    close()
    if (message.role === 'assistant') {
      const calls = message.tool_calls ?? []
      if ((message.content ?? '') === '' && calls.length === 0) problems.push(`message ${index} is an empty answer`)
      for (const call of calls) {
        if (open.has(call.id)) problems.push(`message ${index} calls ${call.id} twice`)
        open.set(call.id, 0)
      }
    }
  })
  close()
  if (messages.every((message) => message.role !== 'user')) problems.push('there is no user message')
  return problems
}
