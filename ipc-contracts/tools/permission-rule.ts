/** A person's own rules about tool calls, kept in the profile. They spare or add questions; the boundary is the sandbox. */
import * as z from 'zod'

export const PermissionRuleSchema = z.strictObject({
  /** `deny` wins over `ask`, `ask` over `allow`, whatever their order. Where the mode never asks, only `deny` counts. */
  effect: z.enum(['allow', 'ask', 'deny']),
  /** A tool's name, or `*`. */
  tool: z.string().min(1).max(200),
  /**
   * Compared with the whole of what the call acts on: a command with its words joined by one space, a path below the
   * workspace (absolute outside it), an address. `*` stands for any text; ` *` at the end also for none. Without it every call.
   * What denies or asks holds for more words behind it as well, and for a program wherever it stands in a command line:
   * behind `env`, `timeout`, `xargs` and the like, and in a string for a shell. What allows must name each of them.
   */
  match: z.string().min(1).max(1000).optional(),
})
export type PermissionRule = z.infer<typeof PermissionRuleSchema>

/** What a rule is compared with; a command line has one for each of its programs. */
export const RuleSubjectSchema = z.object({
  text: z.string(),
  /** Only looks, inside the workspace: an allowing rule need not name it. */
  harmless: z.boolean().optional(),
  /** More words may come to it than are told here. */
  open: z.boolean().optional(),
})
export type RuleSubject = z.infer<typeof RuleSubjectSchema>
