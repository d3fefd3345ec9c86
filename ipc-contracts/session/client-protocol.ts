/**
 * Between a client (window, page, terminal) and the session worker. Plain envelopes so that the
 * host's relay need not look inside and start-up needs no RPC library. A client behind a WebSocket
 * gets each envelope as JSON text (`remote`), all others as objects.
 */
import * as z from 'zod'
import { AppErrorDataSchema } from '../wire/app-error-schema.ts'
import { SessionEventSchema } from './session-event.ts'
import { SessionSnapshotSchema, SessionSummarySchema } from './session-snapshot.ts'
import { StreamDeltaSchema, type StreamDelta } from './stream-delta.ts'

/** Unacknowledged posts after which deltas stop and one snapshot follows the next ack. */
export const CREDIT_POSTS = 64
/** A client acknowledges at most this often, in milliseconds. */
export const ACK_INTERVAL_MS = 100
/** A client receives at most one post per this many milliseconds. */
export const POST_INTERVAL_MS = 16
/** List rows are sent at most every so many milliseconds. */
export const LIST_INTERVAL_MS = 250

export const ClientMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('call'), id: z.number().int(), method: z.string(), params: z.unknown() }),
  z.object({ type: z.literal('cancel'), id: z.number().int() }),
  /** All posts up to this number were taken in. */
  z.object({ type: z.literal('ack'), post: z.number().int() }),
])
export type ClientMessage = z.infer<typeof ClientMessageSchema>

/** Deltas first: they come a hundred times a second, and what does not fit the first of a union is described in vain. */
export const SessionEntrySchema = z.union([StreamDeltaSchema, SessionEventSchema])
export type SessionEntry = z.infer<typeof SessionEntrySchema>

/** The only way to tell them apart: a delta of the model's stream has a field `event` as well. */
export const isDelta = (entry: SessionEntry): entry is StreamDelta => 'delta' in entry

/** One session's part of a post. `rev` rises by one per part of a subscription; a gap means: subscribe again. */
export const PostPartSchema = z.object({
  sessionId: z.string(),
  rev: z.number().int(),
  entries: z.array(SessionEntrySchema),
  /** Replaces the client's state before `entries` are applied (after credit ran out). */
  snapshot: SessionSnapshotSchema.optional(),
})
export type PostPart = z.infer<typeof PostPartSchema>

/** A lasting condition of the app or a workspace, worst first in the client. */
export const BannerSchema = z.object({
  id: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  code: z.string(),
  message: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  workspace: z.string().optional(),
})
export type Banner = z.infer<typeof BannerSchema>

export const HostMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('result'), id: z.number().int(), ok: z.literal(true), value: z.unknown() }),
  z.object({ type: z.literal('failure'), id: z.number().int(), error: AppErrorDataSchema }),
  z.object({ type: z.literal('post'), post: z.number().int(), parts: z.array(PostPartSchema) }),
  /** Rows that changed; `removed` holds session ids. */
  z.object({ type: z.literal('list'), rows: z.array(SessionSummarySchema), removed: z.array(z.string()) }),
  /** The whole set of banners now in force. */
  z.object({ type: z.literal('banners'), banners: z.array(BannerSchema) }),
  /** The session worker was replaced: every subscription is gone, subscribe again. */
  z.object({ type: z.literal('reset'), reason: z.string() }),
])
export type HostMessage = z.infer<typeof HostMessageSchema>
