import { afterEach, expect, test } from 'vitest'
import { proof, proofTier } from './proof.ts'

const before = process.env['PROOF']
afterEach(() => {
  if (before === undefined) delete process.env['PROOF']
  else process.env['PROOF'] = before
})

test('the small tier is the default', () => {
  delete process.env['PROOF']
  expect(proof(1000, 10)).toBe(10)
})

test('PROOF=full takes the full number', () => {
  process.env['PROOF'] = 'full'
  expect(proof(1000, 10)).toBe(1000)
})

test('a misspelt tier is an error, not the small tier', () => {
  expect(() => proofTier('ful')).toThrow('PROOF is "ful"')
})
