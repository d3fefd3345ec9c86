/** Puts tool calls together from the pieces that providers stream. Pure; the rules are those of many gateways at once. */

/** One piece as the wire has it; anything may be missing. */
export interface ToolCallPiece {
  readonly index?: number | null | undefined
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
  /** Text is appended; an object is a whole argument set. */
  readonly arguments?: string | object | null | undefined
}

export interface AssembledCall {
  /** Ours, given at the opening. */
  readonly id: string
  readonly index: number | undefined
  /** The provider's; the first real one stays. */
  providerCallId: string | undefined
  /** Empty until it is known. */
  name: string
  argumentsText: string
  /** The last character that is no white space. Kept, as looking at a long text after every piece is quadratic. */
  lastCharacter: string
}

export interface AssemblerEvents {
  /** The name is known: the call can be shown. */
  start(call: AssembledCall): void
  delta(call: AssembledCall, text: string): void
}

export class ToolCallAssembler {
  readonly calls: AssembledCall[] = []
  readonly #events: AssemblerEvents
  readonly #newId: () => string

  constructor(events: AssemblerEvents, newId: () => string) {
    this.#events = events
    this.#newId = newId
  }

  /** @returns the call the piece went to. */
  add(piece: ToolCallPiece): AssembledCall {
    const id = realText(piece.id)
    const name = realText(piece.name)
    const text =
      piece.arguments === null || piece.arguments === undefined
        ? ''
        : typeof piece.arguments === 'string'
          ? piece.arguments
          : JSON.stringify(piece.arguments)
    const call = this.#find(piece.index ?? undefined, id, name, text) ?? this.#open(piece.index ?? undefined)
    call.providerCallId ??= id
    if (call.name === '' && name !== undefined) {
      call.name = name
      this.#events.start(call)
      // Arguments that came before the name were held back.
      if (call.argumentsText !== '') this.#events.delta(call, call.argumentsText)
    }
    if (text !== '') {
      call.argumentsText += text
      call.lastCharacter = text.trimEnd().at(-1) ?? call.lastCharacter
      if (call.name !== '') this.#events.delta(call, text)
    }
    return call
  }

  #find(index: number | undefined, id: string | undefined, name: string | undefined, text: string): AssembledCall | undefined {
    const last = this.calls.at(-1)
    if (index === undefined) {
      if (id !== undefined) return this.calls.findLast((call) => call.providerCallId === id && !startsAnother(call, undefined, name, text))
      return last !== undefined && !startsAnother(last, undefined, name, text) ? last : undefined
    }
    const known = this.calls.findLast((call) => call.index === index)
    if (known !== undefined) return startsAnother(known, id, name, text) ? undefined : known
    // Arguments that stray to an index nobody opened belong to the call that is open.
    return id === undefined && name === undefined ? last : undefined
  }

  #open(index: number | undefined): AssembledCall {
    const call: AssembledCall = { id: this.#newId(), index, providerCallId: undefined, name: '', argumentsText: '', lastCharacter: '' }
    this.calls.push(call)
    return call
  }
}

/** Some gateways give every call of an answer the same index, or none: a complete call is not continued by a new head. */
function startsAnother(call: AssembledCall, id: string | undefined, name: string | undefined, text: string): boolean {
  const otherId = id !== undefined && call.providerCallId !== undefined && id !== call.providerCallId
  if (otherId) return call.argumentsText === '' ? name !== undefined : looksComplete(call)
  if (name === undefined || call.name === '') return false
  return (name !== call.name || text !== '') && looksComplete(call)
}

/** The last character decides first, so that a name repeated in every piece costs no parse per piece. */
function looksComplete(call: AssembledCall): boolean {
  return call.lastCharacter === '}' && parseArguments(call.argumentsText).ok
}

function realText(value: string | null | undefined): string | undefined {
  return value === null || value === undefined || value === '' || value === 'null' ? undefined : value
}

export type ParsedArguments =
  | { readonly ok: true; readonly args: Record<string, unknown> }
  | { readonly ok: false; readonly reason: string }

/**
 * The end of a call: text → arguments. Empty text and `null` are no arguments; JSON inside a JSON string
 * is unpacked once. Anything else that is no object is an error, never an empty set.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, args: {} }
  let value: unknown
  try {
    value = JSON.parse(text)
    if (typeof value === 'string') value = value.trim() === '' ? null : JSON.parse(value)
  } catch (error) {
    return { ok: false, reason: `arguments are not valid JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
  if (value === null) return { ok: true, args: {} }
  if (typeof value !== 'object' || Array.isArray(value))
    return { ok: false, reason: `arguments must be a JSON object, got ${Array.isArray(value) ? 'an array' : typeof value}` }
  return { ok: true, args: value as Record<string, unknown> }
}
