import { spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import { eventually } from '#tests/helpers/eventually.ts'

/** Holds this thread up, as a stopped process is held up. */
function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

describe('a deadline of waking time', () => {
  test('passes after its time', async () => {
    const since = performance.now()
    await new Promise<void>((resolve) => awakeTimeout(resolve, 300))
    expect(performance.now() - since).toBeGreaterThanOrEqual(299)
  })

  test('longer than one look passes too', async () => {
    const since = performance.now()
    await new Promise<void>((resolve) => awakeTimeout(resolve, 2_200))
    expect(performance.now() - since).toBeGreaterThanOrEqual(2_199)
  })

  test('does not pass when it is taken back', async () => {
    let passed = false
    const cancel = awakeTimeout(() => (passed = true), 50)
    cancel()
    await wait(200)
    expect(passed).toBe(false)
  })

  test('does not count a pause: what came meanwhile is heard before it passes', async () => {
    const order: string[] = []
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => order.push('answer'))
    port1.start()
    awakeTimeout(() => order.push('timeout'), 400)
    port2.postMessage('done')
    block(1_500)
    await eventually('both', () => order.length === 2)
    port1.close()
    expect(order).toEqual(['answer', 'timeout'])
  })

  test('in a process that is stopped and goes on, only the time it ran counts; an ordinary timer (the control) counts it all', async () => {
    const file = path.join(import.meta.dirname, '..', '..', '..', 'ipc-contracts', 'wire', 'awake-timeout.ts')
    const script = `import { awakeTimeout } from ${JSON.stringify(file)}; awakeTimeout(() => console.log('timeout'), 1500); setTimeout(() => console.log('timer'), 1500); console.log('up'); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    await eventually('the process', () => printed.includes('up'))
    child.kill('SIGSTOP')
    await wait(2_500)
    child.kill('SIGCONT')
    await eventually('the ordinary timer', () => printed.includes('timer'))
    const atOnce = printed
    await eventually('the deadline', () => printed.includes('timeout'))
    child.kill('SIGKILL')
    expect(atOnce).not.toContain('timeout')
  })

  test('a thread that is late every time still reaches its deadlines', async () => {
    let passed = false
    awakeTimeout(() => (passed = true), 2_000)
    const end = performance.now() + 20_000
    while (!passed && performance.now() < end) {
      block(1_700)
      await wait(1)
    }
    expect(passed).toBe(true)
  })
})
