/**
 * Imported before any contract: zod otherwise probes for `new Function` when a schema is made, which a
 * strict Content-Security-Policy reports as a violation.
 */
import * as z from 'zod'

z.config({ jitless: true })
