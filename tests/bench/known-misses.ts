/**
 * Budgets that are missed for a reason that is understood. They stay in the table as missed, with the cause; neither
 * budget nor scenario is changed. Any other miss, twice in a row, fails the gate.
 */
export interface KnownMiss {
  readonly row: string
  readonly figure: string
  readonly cause: string
}

export const knownMisses: readonly KnownMiss[] = [
  {
    row: 'cold-start',
    figure: 'first request',
    cause: 'five threads start and the workspace is opened before the first request; most of it is loading and first-run code on two cores',
  },
  {
    row: 'tool-loop',
    figure: 'gap median',
    cause:
      'the floor spawns from a 50 MiB process without storing anything; here each turn makes four durable commits and starts the command in a second process',
  },
  {
    row: 'paced-sessions',
    figure: 'gap median',
    cause: 'the same four commits and second process, times eight sessions on two cores',
  },
  { row: 'paced-sessions', figure: 'gap p90', cause: 'as the median' },
]
