/**
 * Our own client driven as the conformance suite wants it: `node conformance-client-entry.ts URL`, the scenario in
 * MCP_CONFORMANCE_SCENARIO. Connects, and calls what the scenario is about; the suite looks at what arrived.
 */
import { makeMcpHostPlace } from './mcp-host-place.ts'

const CALLS: Readonly<Record<string, { tool: string; args: Record<string, unknown> }>> = {
  tools_call: { tool: 'add_numbers', args: { a: 5, b: 3 } },
  'elicitation-sep1034-client-defaults': { tool: 'test_client_elicitation_defaults', args: {} },
  'sse-retry': { tool: 'test_reconnection', args: {} },
}

const url = process.argv.at(-1) ?? ''
const place = await makeMcpHostPlace()
try {
  const view = await place.approve({ name: 'suite', transport: 'streamable_http', url })
  if (view.state !== 'ready') throw new Error(`not ready: ${view.failure?.message}`)
  const call = CALLS[process.env['MCP_CONFORMANCE_SCENARIO'] ?? '']
  if (call !== undefined) {
    // The person passes over every question: the defaults count.
    const called = await place.call('suite', call.tool, call.args)
    if (called.code !== undefined) throw new Error(`${called.code}: ${called.text}`)
    console.log(called.text)
  }
} finally {
  await place.stop()
}
