import { takePageKey } from '#renderer/ipc/page-key.ts'
import { expect, test, vi } from 'vitest'

const key = 'ab'.repeat(32)

function places(hash: string, stored: Record<string, string> = {}) {
  const replaceState = vi.fn()
  const storage = { getItem: (name: string) => stored[name] ?? null, setItem: (name: string, value: string) => void (stored[name] = value) }
  return { places: { location: { hash, pathname: '/', search: '?open=x' }, history: { replaceState }, storage }, replaceState, stored }
}

test('a key in the address is kept and leaves the address', () => {
  const { places: page, replaceState, stored } = places(`#key=${key}`)
  expect(takePageKey(page)).toBe(key)
  expect(replaceState).toHaveBeenCalledWith(null, '', '/?open=x')
  expect(Object.values(stored)).toEqual([key])
})

test('later visits have the kept one', () => {
  expect(takePageKey(places('#/new', { 'metona.page-key': key }).places)).toBe(key)
})

test('anything else behind the # is no key', () => {
  const { places: page, replaceState } = places('#key=short')
  expect(takePageKey(page)).toBeUndefined()
  expect(replaceState).not.toHaveBeenCalled()
})
