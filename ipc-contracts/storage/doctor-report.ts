/** What checking a workspace's database against its logs found. */
import * as z from 'zod'

export const DifferenceSchema = z.object({
  kind: z.string(),
  sessionId: z.string().optional(),
  seq: z.number().optional(),
  message: z.string(),
})
export const DoctorReportSchema = z.object({
  sessions: z.number(),
  events: z.number(),
  auditRows: z.number(),
  differences: z.array(DifferenceSchema),
  notices: z.array(z.string()),
})
export type DoctorReport = z.infer<typeof DoctorReportSchema>
