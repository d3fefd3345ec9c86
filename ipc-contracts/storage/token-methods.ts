/** Token numbers that outlive a run: counts with the sessions they belong to, what models' reports taught in the profile. */
import * as z from 'zod'
import { ModelAccountSchema, StoredCountSchema } from '../context/token-report.ts'

const place = { workspace: z.string(), sessionId: z.string() }
const nothing = z.object({})

/** A cache, not part of the log: a rebuilt database begins without counts, and they are made again. */
export const tokenMethods = {
  saveTokenCounts: { input: z.object({ ...place, counts: z.array(StoredCountSchema) }), output: nothing, deadlineMs: 60_000 },
  readTokenCounts: { input: z.object(place), output: z.object({ counts: z.array(StoredCountSchema) }), deadlineMs: 60_000 },
  saveModelAccount: { input: z.object({ account: ModelAccountSchema }), output: nothing, deadlineMs: 60_000 },
  listModelAccounts: { input: nothing, output: z.object({ accounts: z.array(ModelAccountSchema) }), deadlineMs: 60_000 },
}
