/** Names the model calls tools by: as every provider takes them, and no server speaks for another. */
import { expect, test } from 'vitest'
import { mcpOfferedName } from '#contracts/tools/mcp-offered-name.ts'

test('server and tool, two underscores between them', () => {
  expect(mcpOfferedName('memory', 'read_graph')).toBe('mcp__memory__read_graph')
})

test.each([
  ['two spaces', 'a b', 'c'],
  ['Chinese', '天气', '预报'],
  ['underscores that would part the name anew', 'a__b', 'c'],
  ['a longer name than anybody takes', 's'.repeat(100), 't'.repeat(100)],
  ['nothing', '', ''],
])('%s: what every provider takes', (_name, server, tool) => {
  expect(mcpOfferedName(server, tool)).toMatch(/^mcp__[a-zA-Z0-9_-]{1,59}$/)
  expect(mcpOfferedName(server, tool).slice('mcp__'.length).split('__')).toHaveLength(2)
})

test('different names stay different', () => {
  const pairs = [
    ['a__b', 'c'],
    ['a', 'b__c'],
    ['a_', '_b__c'],
    ['a b', 'c'],
    ['a_b', 'c'],
    ['天气', 'c'],
    ['天空', 'c'],
    ['s'.repeat(100), 'x'],
    ['s'.repeat(101), 'x'],
    ['a', `${'t'.repeat(80)}1`],
    ['a', `${'t'.repeat(80)}2`],
  ] as const
  expect(new Set(pairs.map(([server, tool]) => mcpOfferedName(server, tool))).size).toBe(pairs.length)
})
