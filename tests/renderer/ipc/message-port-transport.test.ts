import { messagePortTransport, type DesktopWindow } from '#renderer/ipc/message-port-transport.ts'
import { expect, test, vi } from 'vitest'
import { waitUntil } from '../helpers.ts'

type Listener = (event: MessageEvent<unknown>) => void

/** The parts of a window that the preload and the transport use. */
class FakeWindow implements DesktopWindow {
  readonly listeners = new Set<Listener>()
  addEventListener(_type: 'message', listener: Listener): void {
    this.listeners.add(listener)
  }
  removeEventListener(_type: 'message', listener: Listener): void {
    this.listeners.delete(listener)
  }
  dispatch(event: { source: unknown; data: unknown; ports: readonly MessagePort[] }): void {
    for (const listener of [...this.listeners]) listener(event as unknown as MessageEvent<unknown>)
  }
}

function open(): {
  window: FakeWindow
  connects: () => number
  events: { onOpen: ReturnType<typeof vi.fn>; onMessage: ReturnType<typeof vi.fn>; onClose: ReturnType<typeof vi.fn> }
  transport: ReturnType<ReturnType<typeof messagePortTransport>['open']>
} {
  const window = new FakeWindow()
  let connects = 0
  const events = { onOpen: vi.fn(), onMessage: vi.fn(), onClose: vi.fn() }
  const transport = messagePortTransport(window, { connect: () => connects++ }).open(events)
  return { window, connects: () => connects, events, transport }
}

test('it listens before it asks, and opens with the port of its own window', async () => {
  const { window, connects, events, transport } = open()
  expect([connects(), window.listeners.size]).toEqual([1, 1])
  const { port1, port2 } = new MessageChannel()
  window.dispatch({ source: window, data: 'port', ports: [port1] })
  expect(events.onOpen).toHaveBeenCalledOnce()
  const received = vi.fn()
  port2.addEventListener('message', (event) => received(event.data))
  port2.start()
  transport.send({ type: 'ack', post: 3 })
  port2.postMessage({ type: 'list' })
  await waitUntil(() =>
    expect([received.mock.calls, events.onMessage.mock.calls]).toEqual([[[{ type: 'ack', post: 3 }]], [[{ type: 'list' }]]]),
  )
  transport.close()
})

test('a port from another frame, another message or without a port is not taken', () => {
  const { window, events, transport } = open()
  const { port1 } = new MessageChannel()
  window.dispatch({ source: { other: true }, data: 'port', ports: [port1] })
  window.dispatch({ source: window, data: 'else', ports: [port1] })
  window.dispatch({ source: window, data: 'port', ports: [] })
  expect(events.onOpen).not.toHaveBeenCalled()
  transport.close()
  port1.close()
})

test('the other end closing is a loss, told once', async () => {
  const { window, events } = open()
  const { port1, port2 } = new MessageChannel()
  window.dispatch({ source: window, data: 'port', ports: [port1] })
  port2.close()
  await waitUntil(() => expect(events.onClose).toHaveBeenCalledOnce())
  expect(window.listeners.size).toBe(0)
})
