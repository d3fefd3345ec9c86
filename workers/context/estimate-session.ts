/** The estimate of a session's next request, counted exactly where a scanner's error could matter. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { estimateRequest, isAnchored, type Estimate } from './estimate.ts'
import type { ModelAccounts } from './model-accounts.ts'
import type { SessionContext } from './session-context.ts'
import { budgetOf } from './session-view.ts'

/** New text beside which a scanner's error would show: this much of the whole, and at least so many tokens. */
const NEWS_SHARE = 0.06
const NEWS_TOKENS = 150
/** From this share of the budget on, a whole history is not judged by the scanner any more. */
const EXACT_RATIO = 0.5
/** Room kept where neither an exact counter nor any report backs the numbers. */
const UNBACKED_MARGIN = 1.1

export async function estimateSession(
  session: SessionContext,
  accounts: ModelAccounts,
  messages: readonly MetonaMessage[],
): Promise<Estimate> {
  const { input, frozen, tools } = session
  if (input === undefined || frozen === undefined || tools === undefined) throw new Error('nothing was built yet')
  const { provider, id } = input.model
  const meter = session.meter(provider, id)
  const account = accounts.of(provider, id)
  const anchor = isAnchored(session.anchor, provider, id, frozen, tools, messages) ? session.anchor : undefined
  // Another tool set has another overhead; what was learned with the old one would mislead.
  const calibration =
    account.toolsSignature === undefined || account.toolsSignature === tools.signature ? account : { offset: 0, slope: account.slope }
  const take = (): Estimate =>
    estimateRequest(
      meter,
      anchor,
      meter.isExact ? { offset: calibration.offset, slope: 1 } : calibration,
      meter.fixed(frozen.systemPrompt, tools),
      messages,
    )
  let estimate = take()
  if (meter.family.exact === undefined) return estimate
  const uncertain = estimate.news.reduce((sum, message) => sum + (meter.hasExact(message) ? 0 : meter.message(message)), 0)
  const nearLimit = anchor === undefined && estimate.tokens > budgetOf(session, input).budget * EXACT_RATIO
  if (nearLimit ? uncertain > 0 : anchor !== undefined && uncertain > NEWS_TOKENS && uncertain > estimate.tokens * NEWS_SHARE) {
    await meter.load()
    meter.upgrade(estimate.news, Infinity, () => 0)
    estimate = take()
  }
  return estimate
}

/** The most an estimate may be. Lower while nothing backs the estimates of this model. */
export function limitOf(session: SessionContext, accounts: ModelAccounts, inputLimit: number): number {
  if (session.input === undefined) return inputLimit
  const { provider, id } = session.input.model
  return session.meter(provider, id).isExact || accounts.of(provider, id).reports > 0
    ? inputLimit
    : Math.floor(inputLimit / UNBACKED_MARGIN)
}
