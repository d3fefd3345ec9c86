/** What a thread holds once it has collected its garbage. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes of heap and of memory outside it, of the thread that asks. */
export function heldHere(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
