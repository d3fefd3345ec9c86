import { describe, expect, test } from 'vitest'
import { AppError } from '#contracts/wire/app-error.ts'
import { runTurn } from '#workers/session/domain/run-turn.ts'
import { call, neverAborted, parallelTool, scripted, settings } from './scripted-ports.ts'

const namesOf = (drafts: { event: string }[]): string[] => drafts.map((draft) => draft.event)

describe('a turn', () => {
  test('without tools is context, request, answer, end, in the order of the log format', async () => {
    const { ports, drafts } = scripted({ answers: [{ content: 'hi' }] })
    const end = await runTurn(settings(), ports, neverAborted)
    expect(namesOf(drafts)).toEqual(['context_built', 'iteration_start', 'llm_request', 'llm_response', 'iteration_end', 'turn_end'])
    expect(end).toEqual({ reason: 'completed', iterations: 1 })
  })

  test('commits the intent before a tool runs and the outcome after', async () => {
    const { ports, steps } = scripted({ answers: [{ toolCalls: [call('tc_1', 'read_file')] }, { content: 'done' }] })
    await runTurn(settings(), ports, neverAborted)
    const relevant = steps.filter((step) => step.includes('tool_') || step.startsWith('run:'))
    expect(relevant).toEqual(['commit:permission+tool_call', 'run:tc_1', 'commit:tool_result'])
  })

  test('commits the answer before it runs what the answer asks for', async () => {
    const { ports, steps } = scripted({ answers: [{ toolCalls: [call('tc_1', 'read_file')] }, {}] })
    await runTurn(settings(), ports, neverAborted)
    expect(steps.indexOf('commit:llm_response')).toBeLessThan(steps.indexOf('commit:permission+tool_call'))
  })

  test('runs nothing, and asks the model nothing, while a commit before it is not through', async () => {
    for (const [held, last] of [
      ['llm_response', 'commit:permission+tool_call'],
      ['tool_call', 'commit:llm_response'],
      ['tool_result', 'run:tc_1'],
      ['iteration_end', 'run:tc_1'],
    ] as const) {
      const { ports, steps } = scripted({ answers: [{ toolCalls: [call('tc_1', 'read_file')] }, { content: 'done' }] })
      const holding = {
        ...ports,
        commit: (drafts: Parameters<typeof ports.commit>[0]) =>
          drafts.some((draft) => draft.event === held) ? new Promise<void>(() => undefined) : ports.commit(drafts),
      }
      void runTurn(settings(), holding, neverAborted)
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      const effects = steps.filter((step) => step === 'stream' || step.startsWith('run:') || step === last)
      expect([held, effects]).toEqual([held, ['stream', last]])
    }
  })

  test('builds the next request while the outcomes are on their way to the disk', async () => {
    const { ports } = scripted({ answers: [{ toolCalls: [call('tc_1', 'read_file')] }, { content: 'done' }] })
    const release = Promise.withResolvers<void>()
    const order: string[] = []
    const watched = {
      ...ports,
      commit: async (drafts: Parameters<typeof ports.commit>[0]) => {
        if (drafts.some((draft) => draft.event === 'tool_result')) await release.promise
        await ports.commit(drafts)
      },
      buildContext: (input: Parameters<typeof ports.buildContext>[0]) => {
        order.push(`build ${input.iteration}`)
        if (input.iteration === 2) release.resolve()
        return ports.buildContext(input)
      },
    }
    // Were the outcome awaited first, this would never end.
    const end = await runTurn(settings(), watched, neverAborted)
    expect([order, end]).toEqual([['build 1', 'build 2'], { reason: 'completed', iterations: 2 }])
  })

  test('an answer whose calls take long to prepare is written before they are ready', async () => {
    const { ports, steps } = scripted({ answers: [{ toolCalls: [call('tc_1', 'read_file')] }, {}] })
    const prepared = Promise.withResolvers<void>()
    const slow = {
      ...ports,
      pause: () => Promise.resolve(undefined),
      prepareTool: async (asked: Parameters<typeof ports.prepareTool>[0]) => {
        await prepared.promise
        return ports.prepareTool(asked)
      },
      commit: async (drafts: Parameters<typeof ports.commit>[0]) => {
        await ports.commit(drafts)
        if (drafts.some((draft) => draft.event === 'llm_response')) prepared.resolve()
      },
    }
    await runTurn(settings(), slow, neverAborted)
    expect(steps.filter((step) => /llm_response|tool_call|run/.test(step)).slice(0, 3)).toEqual([
      'commit:llm_response',
      'commit:permission+tool_call',
      'run:tc_1',
    ])
  })

  test('ends at its limit of model requests', async () => {
    const { ports } = scripted({
      answers: Array.from({ length: 9 }, (_, index) => ({ toolCalls: [call(`tc_${index}`, 'read_file', { index })] })),
    })
    const end = await runTurn(settings({ maxIterations: 3 }), ports, neverAborted)
    expect(end).toMatchObject({ reason: 'limit_reached', iterations: 3, detail: 'max_iterations', error: { code: 'max_iterations' } })
  })

  test('ends when the same call comes again and again, running it three times only', async () => {
    let runs = 0
    const { ports } = scripted({
      answers: Array.from({ length: 20 }, (_, index) => ({ toolCalls: [call(`tc_${index}`, 'read_file', { file_path: 'a' })] })),
      onRun: () => void runs++,
    })
    const end = await runTurn(settings({ maxIterations: 20 }), ports, neverAborted)
    expect({ end, runs }).toEqual({
      end: {
        reason: 'limit_reached',
        detail: 'repeated_call',
        iterations: 7,
        error: expect.objectContaining({ providerCode: 'REPEATED_CALL' }),
      },
      runs: 3,
    })
  })

  test.each([
    [{ turnTokens: 6 }, 'turn_tokens', 3],
    [{ sessionTokens: 104 }, 'session_tokens', 2],
    [{ turnMoney: 0.3 }, 'turn_money', 3],
    [{ sessionMoney: 5.2 }, 'session_money', 2],
    [{ turnTokens: 1000, sessionTokens: 1000, turnMoney: 10, sessionMoney: 10 }, 'max_iterations', 4],
    [{ sessionTokens: 100 }, 'session_tokens', 0],
  ])('with the budget %j it ends because of %s after %d requests', async (limits, detail, iterations) => {
    const cost = (currency: string, total: number) => ({ currency, cacheHit: 0, cacheMiss: total, cacheWrite: 0, output: 0, total })
    const { ports, drafts } = scripted({
      answers: Array.from({ length: 9 }, (_, index) => ({ toolCalls: [call(`tc_${index}`, 'read_file', { index })] })),
      cost: cost('USD', 0.1),
    })
    const spentBefore = { tokens: 100, costs: [cost('CNY', 1), cost('USD', 5)] }
    const end = await runTurn(settings({ maxIterations: 4, limits, spentBefore }), ports, neverAborted)
    expect(end).toMatchObject({
      reason: 'limit_reached',
      iterations,
      detail,
      error: { code: 'max_iterations', providerCode: detail.toUpperCase() },
    })
    expect(drafts.at(-1)).toMatchObject({ event: 'turn_end', reason: 'limit_reached', detail })
  })

  test('what requests beside the conversation used counts for the turn’s budget', async () => {
    const answers = Array.from({ length: 9 }, (_, index) => ({ toolCalls: [call(`tc_${index}`, 'read_file', { index })] }))
    const { ports } = scripted({ answers, beside: { tokens: 4, costs: [] } })
    const end = await runTurn(settings({ maxIterations: 4, limits: { turnTokens: 6 } }), ports, neverAborted)
    expect(end).toMatchObject({ reason: 'limit_reached', iterations: 1, detail: 'turn_tokens' })
  })

  test('fails with the provider error as data', async () => {
    const error = { code: 'rate_limited' as const, message: 'slow down', retryable: true }
    const { ports, drafts } = scripted({ answers: [{ finishReason: 'error', error }] })
    const end = await runTurn(settings(), ports, neverAborted)
    expect(end).toEqual({ reason: 'failed', error, iterations: 1 })
    expect(drafts.at(-1)).toMatchObject({ event: 'turn_end', reason: 'failed', error })
  })

  test('does not run the calls of an answer that failed', async () => {
    const { ports, steps } = scripted({
      answers: [
        {
          finishReason: 'error',
          toolCalls: [call('tc_1', 'run_command')],
          error: { code: 'network_error', message: 'cut', retryable: true },
        },
      ],
    })
    await runTurn(settings(), ports, neverAborted)
    expect(steps.filter((step) => step.startsWith('run:'))).toEqual([])
  })

  test('fails when no context can be built', async () => {
    const { ports, drafts } = scripted({ answers: [], contextFails: new AppError({ code: 'CONTEXT_TOO_LARGE', message: 'too big' }) })
    const end = await runTurn(settings(), ports, neverAborted)
    expect(end).toMatchObject({ reason: 'failed', error: { code: 'context_length_exceeded', providerCode: 'CONTEXT_TOO_LARGE' } })
    expect(namesOf(drafts)).toEqual(['turn_end'])
  })

  test('stopped before it begins sends nothing', async () => {
    const { ports, steps } = scripted({ answers: [{ content: 'hi' }] })
    const controller = new AbortController()
    controller.abort(new AppError({ code: 'USER_STOPPED', message: 'stop' }))
    const end = await runTurn(settings(), ports, controller.signal)
    expect(end).toEqual({ reason: 'aborted', iterations: 0 })
    expect(steps).toEqual(['commit:stop_report', 'commit:turn_end'])
  })

  test('stopped during its tools gives every call a result and runs no further one', async () => {
    const controller = new AbortController()
    const { ports, drafts, steps } = scripted({
      permission: 'auto_edit',
      answers: [{ toolCalls: [call('tc_1', 'write_file'), call('tc_2', 'write_file', { two: 2 })] }],
      risk: { write_file: 'edit' },
      onRun: () => controller.abort(new AppError({ code: 'USER_STOPPED', message: 'stop' })),
      outcomes: { tc_1: { outcome: 'aborted' } },
    })
    await runTurn(settings(), ports, controller.signal)
    expect(drafts.filter((draft) => draft.event === 'tool_result').map((draft) => [draft.toolCallId, draft.outcome])).toEqual([
      ['tc_1', 'aborted'],
      ['tc_2', 'aborted'],
    ])
    expect(steps.filter((step) => step.startsWith('run:'))).toEqual(['run:tc_1'])
  })

  test('its own time limit is a limit, not an abort', async () => {
    const controller = new AbortController()
    controller.abort(new AppError({ code: 'TURN_TIMEOUT', message: 'too long' }))
    const { ports } = scripted({ answers: [] })
    expect(await runTurn(settings(), ports, controller.signal)).toMatchObject({ reason: 'limit_reached', detail: 'timeout' })
  })

  test('runs neighbouring parallel tools side by side, others one after another', async () => {
    const order: string[] = []
    const { ports, steps } = scripted({
      permission: 'full_access',
      answers: [
        {
          toolCalls: [
            call('tc_1', 'look', { a: 1 }),
            call('tc_2', 'look', { a: 2 }),
            call('tc_3', 'write'),
            call('tc_4', 'look', { a: 4 }),
          ],
        },
        {},
      ],
      onRun: (asked) => void order.push(asked.id),
    })
    await runTurn(settings({ tools: [parallelTool('look')] }), ports, neverAborted)
    const runs = steps.filter((step) => step.startsWith('run:') || step.startsWith('commit:tool_result'))
    expect(runs.slice(0, 2)).toEqual(['run:tc_1', 'run:tc_2'])
    expect(steps.indexOf('run:tc_3')).toBeGreaterThan(steps.indexOf('commit:tool_result'))
    expect(order).toEqual(['tc_1', 'tc_2', 'tc_3', 'tc_4'])
  })
})

describe('approval', () => {
  const write = { answers: [{ toolCalls: [call('tc_1', 'write_file')] }, {}], risk: { write_file: 'edit' as const } }

  test('is asked before the intent is committed', async () => {
    const { ports, steps } = scripted(write)
    await runTurn(settings(), ports, neverAborted)
    expect(steps.filter((step) => /ask|permission|run/.test(step))).toEqual([
      'commit:permission_request',
      'ask:tc_1',
      'commit:permission+tool_call',
      'run:tc_1',
    ])
  })

  test('denied by the person: not run, told to the model with the reason', async () => {
    const { ports, steps, drafts } = scripted({ ...write, approvals: { tc_1: { decision: 'deny', reason: 'use the other file' } } })
    await runTurn(settings(), ports, neverAborted)
    expect(steps).not.toContain('run:tc_1')
    expect(drafts.find((draft) => draft.event === 'tool_result')).toMatchObject({
      outcome: 'denied',
      success: false,
      summary: expect.stringContaining('use the other file'),
    })
  })

  test('unanswered: recorded as a timeout, not as the person saying no', async () => {
    const { ports, drafts } = scripted({ ...write, approvals: { tc_1: { decision: 'deny', by: 'timeout' } } })
    await runTurn(settings(), ports, neverAborted)
    expect(drafts.find((draft) => draft.event === 'permission')).toMatchObject({ decision: 'deny', by: 'timeout' })
  })

  test('with nobody there is a denial', async () => {
    const { ports, drafts, steps } = scripted(write)
    await runTurn(settings({ interactive: false }), ports, neverAborted)
    expect(drafts.find((draft) => draft.event === 'permission')).toMatchObject({ decision: 'deny', by: 'non_interactive' })
    expect(steps).not.toContain('ask:tc_1')
  })

  test('for the session is remembered under exactly the shown prefix', async () => {
    const { ports, steps } = scripted({ ...write, approvals: { tc_1: { scope: 'session' } } })
    await runTurn(settings(), ports, neverAborted)
    expect(steps).toContain('grant:write_file:write_file:session')
  })

  test('for good covers no more than what was offered: edits for the session, nothing where there is no grant', async () => {
    const always = { ...write, approvals: { tc_1: { scope: 'always' as const } } }
    const scopes = await Promise.all(
      (['edits', 'none'] as const).map(async (offered) => {
        const { ports, drafts, steps } = scripted({ ...always, offered })
        await runTurn(settings(), ports, neverAborted)
        const permission = drafts.find((draft) => draft.event === 'permission')
        return [permission?.event === 'permission' && permission.scope, steps.filter((step) => step.startsWith('grant:'))]
      }),
    )
    expect(scopes).toEqual([
      ['session', ['grant:edits:session']],
      ['once', []],
    ])
  })
})

describe('a request the provider finds too long', () => {
  const tooLong = {
    finishReason: 'error' as const,
    error: { code: 'context_length_exceeded' as const, message: 'too long', retryable: false },
  }

  test('is sent once more after the history was cut', async () => {
    const { ports, steps } = scripted({ answers: [tooLong, { content: 'ok' }], canCut: true })
    expect(await runTurn(settings(), ports, neverAborted)).toMatchObject({ reason: 'completed', iterations: 2 })
    expect(steps.filter((step) => step === 'stream' || step === 'cut')).toEqual(['stream', 'cut', 'stream'])
  })

  test('is not sent a third time', async () => {
    const { ports, steps } = scripted({ answers: [tooLong, tooLong, { content: 'never' }], canCut: true })
    expect(await runTurn(settings(), ports, neverAborted)).toMatchObject({ reason: 'failed', error: { code: 'context_length_exceeded' } })
    expect(steps.filter((step) => step === 'stream')).toHaveLength(2)
  })

  test('fails at once when nothing can be cut', async () => {
    const { ports } = scripted({ answers: [tooLong], canCut: false })
    expect(await runTurn(settings(), ports, neverAborted)).toMatchObject({ reason: 'failed', iterations: 1 })
  })
})

describe('a question of the model', () => {
  const asked = {
    answers: [{ toolCalls: [call('tc_1', 'ask_user')] }, {}],
    risk: { ask_user: 'session' as const },
    question: { text: 'Which file?' },
  }

  test('is put to the person even in a mode that allows the tool, and the words reach it', async () => {
    const { ports, steps, drafts } = scripted({ ...asked, permission: 'full_access', approvals: { tc_1: { text: 'b.txt' } } })
    await runTurn(settings(), ports, neverAborted)
    expect(drafts.find((draft) => draft.event === 'permission_request')).toMatchObject({
      question: { text: 'Which file?' },
      reason: 'question',
    })
    expect(steps).toContain('answer:tc_1:b.txt')
  })

  test('with nobody there runs without an answer', async () => {
    const { ports, steps } = scripted(asked)
    await runTurn(settings({ interactive: false }), ports, neverAborted)
    expect(steps.filter((step) => /ask|run|answer/.test(step))).toEqual(['run:tc_1'])
  })
})

describe('what an answer wants the person to know', () => {
  const notice = { code: 'empty_answer', message: 'the model answered nothing' }
  const nearlyFull = { code: 'window_nearly_full', message: 'the prompt nearly fills the window', params: { percent: 97 } }

  test('becomes a notice beside it, once per code', async () => {
    const { ports, drafts } = scripted({
      answers: [
        { toolCalls: [call('tc_1', 'read_file')], notices: [nearlyFull] },
        { content: '', notices: [notice, nearlyFull] },
      ],
    })
    await runTurn(settings(), ports, neverAborted)
    expect(drafts.filter((draft) => draft.event === 'notice')).toEqual([
      { event: 'notice', ...nearlyFull, turn: 1 },
      { event: 'notice', ...notice, turn: 1 },
    ])
    const names = namesOf(drafts)
    expect(names.indexOf('notice')).toBe(names.indexOf('llm_response') + 1)
  })
})

test('a mode changed while the turn runs holds for the next call', async () => {
  let mode: 'full_access' | 'plan' = 'full_access'
  const { ports, steps } = scripted({
    answers: [{ toolCalls: [call('tc_1', 'write_file', { one: 1 }), call('tc_2', 'write_file', { two: 2 })] }, {}],
    risk: { write_file: 'edit' },
    onRun: () => (mode = 'plan'),
  })
  await runTurn(settings(), { ...ports, permission: () => mode }, neverAborted)
  expect(steps.filter((step) => step.startsWith('run:'))).toEqual(['run:tc_1'])
})
