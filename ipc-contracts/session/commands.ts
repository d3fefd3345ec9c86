/** Every call a client may make, each a schema pair. The session worker's handler table is typed from it. */
import * as z from 'zod'
import { defineService } from '../wire/define-service.ts'
import { DoctorReportSchema } from '../storage/doctor-report.ts'
import { grantCommands } from './grant-commands.ts'
import { healthCommands } from './health-commands.ts'
import { fileCommands } from './file-commands.ts'
import { inspectCommands } from './inspect-commands.ts'
import { historyCommands } from './history-commands.ts'
import { mcpCommands } from './mcp-commands.ts'
import { memoryCommands } from './memory-commands.ts'
import { pageCommands } from './page-commands.ts'
import { providerCommands } from './provider-commands.ts'
import { sandboxCommands } from './sandbox-commands.ts'
import { sessionCommands } from './session-commands.ts'
import { turnCommands } from './turn-commands.ts'
import { usageCommands } from './usage-commands.ts'
import { workspaceCommands } from './workspace-commands.ts'
import { workspaceFileCommands } from './workspace-file-commands.ts'

const nothing = z.object({})
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 30_000) => ({ input, output, deadlineMs })

export const commands = defineService({
  name: 'app',
  methods: {
    ...historyCommands,
    ...fileCommands,
    ...inspectCommands,
    ...memoryCommands,
    ...pageCommands,
    ...sandboxCommands,
    ...workspaceCommands,
    ...sessionCommands,
    ...turnCommands,
    ...grantCommands,
    ...workspaceFileCommands,
    ...usageCommands,
    ...providerCommands,
    ...mcpCommands,

    'doctor.verify': method(z.object({ workspace: z.string() }), DoctorReportSchema, 600_000),
    'doctor.rebuild': method(z.object({ workspace: z.string() }), DoctorReportSchema, 600_000),
    /** Thread ids by concern, loop delay and heap; for the health page, the bench and a test. */
    'health.read': method(
      nothing,
      z.object({ threads: z.record(z.string(), z.number()), workers: z.array(z.record(z.string(), z.unknown())) }),
    ),
    ...healthCommands,
    /** `pickFolder`, `openExternal`, `notify` …: passed on to the shell. */
    'native.call': method(z.object({ method: z.string(), params: z.unknown() }), z.object({ value: z.unknown() }), 600_000),
    /** Ends what runs, settles and closes everything; the host may then exit. */
    'app.shutdown': method(z.object({ deadlineMs: z.number().default(5000) }), nothing, 60_000),
  },
})
