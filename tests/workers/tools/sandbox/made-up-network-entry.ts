/** The command host with names of a test: `network.json` beside it says where they lead and where the servers listen. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommandHost } from '#main/command-host/run-command-host.ts'

export interface MadeUpNetwork {
  /** Addresses by name; every other name has a public one. */
  readonly addresses: Readonly<Record<string, string[]>>
  /** The port on this machine by the port that is asked for. */
  readonly ports: Readonly<Record<string, number>>
}

const read = (): MadeUpNetwork => JSON.parse(readFileSync(join(import.meta.dirname, 'network.json'), 'utf8')) as MadeUpNetwork

await runCommandHost({
  lookup: async (host) => read().addresses[host] ?? ['93.184.216.34'],
  dial: (_address, port) => ({ host: '127.0.0.1', port: read().ports[port] ?? 1 }),
})
