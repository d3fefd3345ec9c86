/**
 * Schemas are interpreted, not compiled: compiling costs 25 ms of every start, more than it ever saves on the few
 * messages a second that cross a thread. Imported for its effect, before anything else, by
 * whatever starts a thread: a schema that exists already stays as it was made.
 */
import * as z from 'zod'

z.config({ jitless: true })
