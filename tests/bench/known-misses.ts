/**
 * Budgets that are missed for a reason that is understood, and by how much. They stay in the table as missed, with the
 * cause; neither budget nor scenario is changed. Any other miss, and a greater one, twice in a row, fails the gate.
 */
export interface KnownMiss {
  readonly row: string
  readonly figure: string
  /** What is worse than this is another miss, and fails: one and a half to two times the worst that was seen on any machine. */
  readonly upTo: number
  readonly cause: string
}

export const knownMisses: readonly KnownMiss[] = [
  {
    row: 'cold-start',
    figure: 'first request',
    upTo: 8,
    cause: 'five threads start and the workspace is opened before the first request; most of it is loading and first-run code on two cores',
  },
  {
    row: 'cold-start',
    figure: 'CPU of the whole run',
    upTo: 2,
    cause:
      'seconds, not a ratio: the budget was set where the floor takes 150 ms; where it takes 210 ms the same work takes 1.35 s, where it takes 65 ms 0.56 s',
  },
  {
    row: 'tool-loop',
    figure: 'gap median',
    upTo: 9,
    cause:
      'the floor spawns from a 50 MiB process without storing anything; here each turn makes three durable commits one after the other, crosses ten threads and starts the command in a second process that also looks for what the command left behind',
  },
  {
    row: 'tool-loop',
    figure: 'gap p90',
    upTo: 130,
    cause: 'as the median: 63 ms on a machine whose floor takes 31 ms there, 25-37 ms on a faster one',
  },
  {
    row: 'paced-sessions',
    figure: 'gap median',
    upTo: 12,
    cause: 'the same three commits and second process, times eight sessions on two cores',
  },
  { row: 'paced-sessions', figure: 'gap p90', upTo: 16, cause: 'as the median' },
  {
    row: 'paced-sessions',
    figure: 'time over ideal',
    upTo: 25,
    cause: 'start-up counts: in the short row it is a tenth of the whole run',
  },
  {
    row: 'paced-sessions',
    figure: 'CPU of the tree',
    upTo: 4,
    cause: 'start-up (half a CPU second) is a third of the short run; the rest is under twice the floor',
  },
  {
    row: 'token-flood',
    figure: 'CPU',
    upTo: 3,
    cause: 'start-up (half a CPU second) is half of the whole; the tokens themselves cost about 1.2 times the floor',
  },
  {
    row: 'many-sessions',
    figure: 'slowest over fastest',
    upTo: 1.2,
    cause:
      'all 64 start at once: until the last one has sent its request both cores are busy for half a second, which is 7 % of the short run and under 2 % of the full one',
  },
  {
    row: 'big-workspace',
    figure: 'open',
    upTo: 400,
    cause: 'all events of a session are read, checked and folded before it is shown; nothing is kept that would let the older part wait',
  },
  { row: 'token-flood', figure: 'rate', upTo: 0.3, cause: 'the end of the run counts: closing five threads and syncing the log' },
  {
    row: 'sandboxed-command',
    figure: 'median',
    upTo: 2,
    cause:
      '6 ms go around the run itself: the folder is looked through, a socket crossed twice, 23 stand-ins are made and taken away, and what the command left running is looked for',
  },
  {
    row: 'sandboxed-command',
    figure: 'p90',
    upTo: 2.2,
    cause: 'as the median',
  },
  {
    row: 'disturbed',
    figure: 'many-sessions, host p99',
    upTo: 4,
    cause:
      'two cores carry a table, a search, a flood and what is measured: what waits for its turn waits up to one turn of the scheduler (3 ms) more often; in milliseconds it stays within the budgets of the undisturbed rows',
  },
  {
    row: 'disturbed',
    figure: 'many-sessions, session p99',
    upTo: 5,
    cause: 'as the host',
  },
  {
    row: 'disturbed',
    figure: 'many-sessions, llm p99',
    upTo: 6,
    cause: 'as the host',
  },
  {
    row: 'disturbed',
    figure: 'many-sessions, storage p99',
    upTo: 6,
    cause: 'as the host',
  },
  {
    row: 'disturbed',
    figure: 'host-thread, host p99',
    upTo: 6,
    cause: 'as the host',
  },
  {
    row: 'disturbed',
    figure: 'token-page p99',
    upTo: 8,
    cause: 'as the host, and the browser has a share of the processor of its own, beside that of the whole app with its table',
  },
]
