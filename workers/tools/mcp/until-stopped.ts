/** Waits for what may go on by itself, no longer than until the signal aborts; then it rejects. */
export function untilStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(new Error('stopped'))
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('stopped'))
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
