/** Streams for the conformance suite, one writer per wire. Chosen by the path an adapter asks for, not by its name. */

export interface SampleCall {
  readonly name: string
  /** Argument text as the model would write it. */
  readonly args: string
}

export interface Sample {
  readonly thinking?: readonly string[]
  readonly text?: readonly string[]
  readonly calls?: readonly SampleCall[]
  readonly finish?: 'stop' | 'length'
  /** In place of a finish: an error in the stream, and nothing after it. */
  readonly errorInside?: boolean
}

export interface Wire {
  readonly path: string
  /** The whole body, and the byte from which on the provider has said that it is finished. */
  stream(sample: Sample): { readonly body: string; readonly finishedAt: number }
  /** The same answer in one document. */
  document(text: string): unknown
  /** A refusal's body. */
  refusal(message: string, type?: string): unknown
}

const pieces = (text: string): string[] => text.match(/[\s\S]{1,7}/gu) ?? []
const end = (frames: readonly string[], finishIndex: number): { body: string; finishedAt: number } => ({
  body: frames.join(''),
  finishedAt: finishIndex < 0 ? Infinity : Buffer.byteLength(frames.slice(0, finishIndex).join('') + (frames[finishIndex] ?? '').trimEnd()),
})

const chat: Wire = {
  path: '/chat/completions',
  stream: ({ thinking = [], text = [], calls = [], finish = 'stop', errorInside = false }) => {
    const line = (payload: unknown): string => `data: ${JSON.stringify(payload)}\n\n`
    const chunk = (delta: unknown, reason: string | null = null): string =>
      line({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })
    const frames = [
      chunk({ role: 'assistant', content: '' }),
      ...thinking.map((piece) => chunk({ reasoning_content: piece })),
      ...text.map((piece) => chunk({ content: piece })),
      ...calls.flatMap((call, index) => [
        chunk({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: call.name, arguments: '' } }] }),
        ...pieces(call.args).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
    ]
    if (errorInside) return end([...frames, line({ error: { message: 'The server is overloaded', type: 'server_overloaded' } })], -1)
    const reason = finish === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
    return end(
      [
        ...frames,
        chunk({}, reason),
        line({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } }),
        'data: [DONE]\n\n',
      ],
      frames.length,
    )
  },
  document: (text) => ({
    id: 'c',
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
  }),
  refusal: (message, type = 'invalid_request_error') => ({ error: { message, type, param: null, code: null } }),
}

const ollama: Wire = {
  path: '/api/chat',
  stream: ({ thinking = [], text = [], calls = [], finish = 'stop', errorInside = false }) => {
    const line = (payload: object): string => `${JSON.stringify({ model: 'm', created_at: '2026-11-30T00:00:00Z', ...payload })}\n`
    // Arguments travel as objects here; a model cut by the length limit leaves an unfinished set.
    const toObject = (args: string): unknown => (args === '' ? {} : finish === 'length' ? {} : JSON.parse(args))
    const frames = [
      ...thinking.map((piece) => line({ message: { role: 'assistant', content: '', thinking: piece }, done: false })),
      ...text.map((piece) => line({ message: { role: 'assistant', content: piece }, done: false })),
      ...calls.map((call) =>
        line({
          message: { role: 'assistant', content: '', tool_calls: [{ function: { name: call.name, arguments: toObject(call.args) } }] },
          done: false,
        }),
      ),
    ]
    if (errorInside)
      return end([...frames, `${JSON.stringify({ error: 'server busy, please try again.  maximum pending requests exceeded' })}\n`], -1)
    return end(
      [
        ...frames,
        line({ message: { role: 'assistant', content: '' }, done: true, done_reason: finish, prompt_eval_count: 10, eval_count: 20 }),
      ],
      frames.length,
    )
  },
  document: (text) => ({
    model: 'm',
    created_at: '2026-11-30T00:00:00Z',
    message: { role: 'assistant', content: text },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 10,
    eval_count: 20,
  }),
  refusal: (message) => ({ error: message }),
}

const anthropic: Wire = {
  path: '/messages',
  stream: ({ thinking = [], text = [], calls = [], finish = 'stop', errorInside = false }) => {
    const event = (payload: { type: string }): string => `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`
    const block = (index: number, start: object, deltas: readonly object[]): string[] => [
      event({ type: 'content_block_start', index, content_block: start } as { type: string }),
      ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta } as { type: string })),
      event({ type: 'content_block_stop', index } as { type: string }),
    ]
    const open = event({
      type: 'message_start',
      message: {
        id: 'msg',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    } as { type: string })
    let index = 0
    const frames = [
      open,
      ...(thinking.length > 0
        ? block(index++, { type: 'thinking', thinking: '', signature: '' }, [
            ...thinking.map((piece) => ({ type: 'thinking_delta', thinking: piece })),
            { type: 'signature_delta', signature: 'c2ln' },
          ])
        : []),
      ...(text.length > 0
        ? block(
            index++,
            { type: 'text', text: '' },
            text.map((piece) => ({ type: 'text_delta', text: piece })),
          )
        : []),
      ...calls.flatMap((call) =>
        block(index++, { type: 'tool_use', id: `toolu_${index}`, name: call.name, input: {} }, [
          { type: 'input_json_delta', partial_json: '' },
          ...pieces(call.args).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
        ]),
      ),
    ]
    if (errorInside)
      return end([...frames, event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as { type: string })], -1)
    const reason = finish === 'length' ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn'
    return end(
      [
        ...frames,
        event({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 20 } } as {
          type: string
        }),
        event({ type: 'message_stop' }),
      ],
      frames.length,
    )
  },
  document: (text) => ({
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 20 },
  }),
  refusal: (message, type = 'invalid_request_error') => ({ type: 'error', error: { type, message } }),
}

const responses: Wire = {
  path: '/responses',
  stream: ({ thinking = [], text = [], calls = [], finish = 'stop', errorInside = false }) => {
    let sequence = 0
    const event = (type: string, payload: object): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...payload })}\n\n`
    let index = 0
    const output: unknown[] = []
    const item = (start: Record<string, unknown>, done: Record<string, unknown>, inner: (at: number) => string[]): string[] => {
      const at = index++
      output.push(done)
      const closed =
        finish === 'length' && start['type'] === 'function_call'
          ? []
          : [event('response.output_item.done', { output_index: at, item: done })]
      return [event('response.output_item.added', { output_index: at, item: start }), ...inner(at), ...closed]
    }
    const frames = [
      event('response.created', { response: { id: 'resp', status: 'in_progress', output: [] } }),
      ...(thinking.length > 0
        ? item(
            { id: 'rs', type: 'reasoning', summary: [] },
            { id: 'rs', type: 'reasoning', summary: [{ type: 'summary_text', text: thinking.join('') }], encrypted_content: 'ZW5j' },
            (at) => [
              event('response.reasoning_summary_part.added', {
                output_index: at,
                summary_index: 0,
                part: { type: 'summary_text', text: '' },
              }),
              ...thinking.map((delta) => event('response.reasoning_summary_text.delta', { output_index: at, summary_index: 0, delta })),
            ],
          )
        : []),
      ...(text.length > 0
        ? item(
            { id: 'msg', type: 'message', role: 'assistant', content: [] },
            { id: 'msg', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: text.join('') }] },
            (at) => text.map((delta) => event('response.output_text.delta', { output_index: at, content_index: 0, delta })),
          )
        : []),
      ...calls.flatMap((call, position) => {
        const known = { id: `fc_${position}`, type: 'function_call', call_id: `call_${position}`, name: call.name }
        return item({ ...known, arguments: '' }, { ...known, arguments: call.args, status: 'completed' }, (at) =>
          pieces(call.args).map((delta) => event('response.function_call_arguments.delta', { output_index: at, item_id: known.id, delta })),
        )
      }),
    ]
    if (errorInside)
      return end(
        [
          ...frames,
          event('error', { code: 'server_error', message: 'The server is overloaded', param: null }),
          event('response.failed', {
            response: { status: 'failed', error: { code: 'server_error', message: 'The server is overloaded' } },
          }),
        ],
        -1,
      )
    const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30 }
    const last =
      finish === 'length'
        ? event('response.incomplete', {
            response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output, usage },
          })
        : event('response.completed', { response: { status: 'completed', output, usage } })
    return end([...frames, last], frames.length)
  },
  document: (text) => ({
    id: 'resp',
    object: 'response',
    status: 'completed',
    output: [{ id: 'msg', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
    usage: { input_tokens: 10, output_tokens: 20, total_tokens: 30 },
  }),
  refusal: (message, type = 'invalid_request_error') => ({ error: { message, type, param: null, code: null } }),
}

export const wires: readonly Wire[] = [chat, ollama, anthropic, responses]
