/** SHA-256 over the canonical JSON of a growing list; only what is new is hashed. */
import { createHash, type Hash } from 'node:crypto'
import { canonicalJson } from '#contracts/context/canonical-json.ts'

export class ListHash<T extends object> {
  #items: readonly T[] = []
  #hash: Hash = createHash('sha256').update('[')

  /** @returns the hash in hex of `canonicalJson(items)`. Items must not be changed once given. */
  digest(items: readonly T[]): string {
    let same = 0
    while (same < this.#items.length && this.#items[same] === items[same]) same++
    if (same < this.#items.length) {
      this.#hash = createHash('sha256').update('[')
      same = 0
    }
    for (let index = same; index < items.length; index++) this.#hash.update(`${index === 0 ? '' : ','}${canonicalJson(items[index])}`)
    this.#items = items.slice()
    return this.#hash.copy().update(']').digest('hex')
  }
}
