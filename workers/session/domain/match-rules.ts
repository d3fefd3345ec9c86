/** Which of the person's rules speaks about a call. */
import type { PermissionRule, RuleSubject } from '#contracts/tools/permission-rule.ts'
import type { PreparedCall } from '#contracts/tools/prepared-call.ts'

export type RuleVerdict =
  | { readonly effect: PermissionRule['effect']; readonly rule: string }
  /** A rule may forbid it: what the call starts cannot be told. */
  | { readonly effect: 'unclear'; readonly rule: string }

/** Deny wins, then what may be denied, then ask, then allow: for that, each program that does more than look must be named. */
export function matchRules(
  rules: readonly PermissionRule[],
  tool: string,
  call: Extract<PreparedCall, { ok: true }>,
): RuleVerdict | undefined {
  const own = rules.filter((rule) => rule.tool === tool || rule.tool === '*')
  const subjects = call.subjects ?? []
  const speaking = (effect: PermissionRule['effect']): PermissionRule | undefined =>
    own.find(
      (rule) =>
        rule.effect === effect &&
        (rule.match === undefined || subjects.some(({ text }) => fits(rule, text) || matches(`${rule.match} *`, text))),
    )
  const deny = speaking('deny')
  if (deny !== undefined) return { effect: 'deny', rule: nameOf(deny) }
  const hidden = call.risk === 'execute' && (call.subjects === undefined || call.hidden === true)
  const possible = own.find((rule) => rule.effect === 'deny' && (hidden || subjects.some((subject) => mayFit(rule, subject))))
  if (possible !== undefined) return { effect: 'unclear', rule: nameOf(possible) }
  const ask = speaking('ask') ?? own.find((rule) => rule.effect === 'ask' && (hidden || subjects.some((subject) => mayFit(rule, subject))))
  if (ask !== undefined) return { effect: 'ask', rule: nameOf(ask) }
  const allowing = own.filter((rule) => rule.effect === 'allow')
  const whole = allowing.find((rule) => rule.match === undefined)
  if (whole !== undefined) return { effect: 'allow', rule: nameOf(whole) }
  if (hidden) return undefined
  const acting = subjects.filter((subject) => subject.harmless !== true)
  const naming = acting.map((subject) => allowing.find((rule) => covers(rule, subject)))
  const [first] = naming
  return first === undefined || naming.includes(undefined) ? undefined : { effect: 'allow', rule: nameOf(first) }
}

function fits({ match = '*' }: PermissionRule, subject: string): boolean {
  return matches(match, subject) || (match.endsWith(' *') && matches(match.slice(0, -2), subject))
}

/** Whatever words come to it. */
function covers(rule: PermissionRule, { text, open }: RuleSubject): boolean {
  return fits(rule, text) && (open !== true || rule.match?.endsWith('*') !== false)
}

/** With some words that may come to it. */
function mayFit({ match = '*' }: PermissionRule, { text, open }: RuleSubject): boolean {
  if (open !== true) return false
  const [literal = ''] = match.split('*')
  return literal.startsWith(text) || text.startsWith(literal)
}

/** By hand: as a regular expression several stars could take for ever on a text that was written for it. */
function matches(pattern: string, text: string): boolean {
  let at = 0
  let from = 0
  let star = -1
  let retry = 0
  while (from < text.length) {
    if (pattern[at] === '*') {
      star = at++
      retry = from
    } else if (pattern[at] === text[from]) {
      at++
      from++
    } else if (star >= 0) {
      // The last star takes one more character.
      at = star + 1
      from = ++retry
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}

function nameOf({ effect, tool, match }: PermissionRule): string {
  return `${effect} ${tool}${match === undefined ? '' : ` ${match}`}`
}
