import { expect, it } from 'vitest'
import type { ToolDescriptor } from '#contracts/tools/prepared-call.ts'
import { ToolList } from '#workers/session/tool-list.ts'

const tool = (name: string): ToolDescriptor => ({ definition: { name, description: '', parameters: {} }, risk: 'read', parallel: true })
const builtIn = { ask: async () => ({ tools: [tool('read_file')] }) as never }

it('servers whose list cannot be had cost their tools alone, and it is said', async () => {
  const said: string[] = []
  let fails = true
  const list = new ToolList(
    builtIn,
    async () => {
      if (fails) throw new Error('no list')
      return [tool('mcp__a__b')]
    },
    (message) => said.push(message),
  )
  expect(await list.get('/w')).toEqual([tool('read_file')])
  fails = false
  expect(await list.get('/w')).toEqual([tool('read_file'), tool('mcp__a__b')])
  expect(said).toEqual(['MCP tools are left out: no list'])
})
