import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { listen } from '#contracts/wire/listen.ts'
import type { Port } from '#contracts/wire/port.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { memoryPorts } from '#tests/helpers/memory-ports.ts'

function nodePorts(): [Port, Port] {
  const { port1, port2 } = new MessageChannel()
  return [port1 as unknown as Port, port2 as unknown as Port]
}

test.each([
  ['a port of Node', nodePorts],
  ['any other port', memoryPorts],
])('%s: messages arrive as they are, until listening stops', async (_name, makePorts) => {
  const [near, far] = makePorts()
  const heard: unknown[] = []
  const stop = listen(near, (data) => heard.push(data))
  near.start()
  far.postMessage({ a: 1 })
  far.postMessage('two')
  await eventually('both messages', () => heard.length === 2)
  stop()
  const later: unknown[] = []
  listen(near, (data) => later.push(data))
  near.start()
  far.postMessage('three')
  await eventually('the third message', () => later.length === 1)
  expect({ heard, later }).toEqual({ heard: [{ a: 1 }, 'two'], later: ['three'] })
  near.close()
})

/** In a process of its own: which built-in modules were loaded is a property of a process. */
async function loadsHttpClient(how: 'listen' | 'addEventListener'): Promise<boolean> {
  const script = `
    import { MessageChannel } from 'node:worker_threads'
    import { listen } from ${JSON.stringify(new URL('../../../ipc-contracts/wire/listen.ts', import.meta.url).href)}
    const { port1, port2 } = new MessageChannel()
    const end = () => { console.log(process.moduleLoadList.some((name) => name.includes('deps/undici/undici'))); process.exit() }
    ${how === 'listen' ? 'listen(port1, end)' : "port1.addEventListener('message', end)"}
    port1.start()
    port2.postMessage('hello')`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  return stdout.trim() === 'true'
}

test('hearing a message loads no HTTP client', async () => {
  expect(await loadsHttpClient('listen')).toBe(false)
})

test('control: a listener of the DOM kind does', async () => {
  expect(await loadsHttpClient('addEventListener')).toBe(true)
})
