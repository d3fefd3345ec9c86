/** What `remember` and `recall` may ask of the session they run in, over a port of their own that ends with the call. */
import * as z from 'zod'
import { MemoryDraftSchema, MemoryEntrySchema, MemoryHitSchema } from '../metona/memory-entry.ts'
import { MemoryOperationSchema } from '../metona/memory-file.ts'
import { defineService } from '../wire/define-service.ts'

export const memoryPort = defineService({
  name: 'memory',
  methods: {
    /** Session and source are the session's to say. Errors as `memoryAdd` of storage. */
    remember: {
      input: MemoryDraftSchema.pick({ type: true, content: true, summary: true, importance: true }),
      output: z.object({ item: MemoryEntrySchema, added: z.boolean() }),
      deadlineMs: 30_000,
    },
    recall: {
      input: z.object({ query: z.string(), limit: z.number().int().min(1).max(20) }),
      output: z.object({ hits: z.array(MemoryHitSchema) }),
      deadlineMs: 30_000,
    },
    /** Errors as `memoryFileChange` of storage. */
    changeFile: { input: z.object({ operation: MemoryOperationSchema }), output: z.object({ changed: z.boolean() }), deadlineMs: 30_000 },
  },
})
