/** What a person opened or typed in a row; it outlasts the row, which leaves the page when it scrolls out of sight. */
import { inject, provide, shallowReactive, type InjectionKey } from 'vue'

type RowMemory = Map<string, boolean | number | string>

const KEY: InjectionKey<RowMemory> = Symbol('row memory')

export function provideRowMemory(): RowMemory {
  const memory: RowMemory = shallowReactive(new Map())
  provide(KEY, memory)
  return memory
}

/** Outside of a transcript (a card by itself) it lasts as long as the component. */
export function useRowMemory(): RowMemory {
  return inject(KEY, () => shallowReactive(new Map()), true)
}
