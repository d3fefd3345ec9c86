/** What a provider reported of a request: the anchor of the next estimate, and a lesson for later ones. */
import type { ModelAccount, ReportInput, ReportOutput } from '#contracts/context/token-report.ts'
import { isCredible, learnOffset, learnSlope, type Calibration } from './domain/calibrate.ts'
import { answerTokens } from './estimate.ts'
import { withError, type ModelAccounts } from './model-accounts.ts'
import type { SessionContext } from './session-context.ts'

export function reportUsage(session: SessionContext | undefined, report: ReportInput, accounts: ModelAccounts): ReportOutput {
  const sent = session?.sent
  const reported = report.usage.inputTokens
  if (session === undefined || sent === undefined || sent.requestId !== report.requestId)
    return { used: false, estimated: 0, reported, error: 0 }
  const error = reported > 0 ? (sent.estimated - reported) / reported : 0
  if (!isCredible(reported, sent.estimated)) return { used: false, estimated: sent.estimated, reported, error }

  const known = accounts.of(sent.provider, sent.model)
  const meter = session.meter(sent.provider, sent.model)
  const previous = session.anchor
  let calibration: Calibration = known
  let { toolsSignature } = known
  if (!sent.anchored) {
    calibration = learnOffset(reported, sent.counted, meter.isExact ? { offset: known.offset, slope: 1 } : known)
    toolsSignature = sent.tools.signature
  } else if (previous !== undefined && !meter.isExact) {
    const news = sent.messages.slice(previous.sent.messages.length)
    const reply = news[0]?.role === 'assistant' ? news[0] : undefined
    const answer = reply === undefined ? 0 : answerTokens(meter, reply, previous.usage)
    const counted = news.slice(reply === undefined ? 0 : 1).reduce((sum, message) => sum + meter.message(message), 0)
    calibration = learnSlope(reported - previous.usage.inputTokens - answer, counted, known)
  }
  const account: ModelAccount = {
    provider: sent.provider,
    model: sent.model,
    counter: meter.counter,
    reports: known.reports + 1,
    lastEstimated: sent.estimated,
    lastReported: reported,
    offset: calibration.offset,
    slope: calibration.slope,
    ...(toolsSignature === undefined ? {} : { toolsSignature }),
    errors: session.reports > 0 ? withError(known.errors, error) : known.errors,
  }
  accounts.put(account)
  session.reports++
  session.anchor = { sent, usage: report.usage }
  return { used: true, estimated: sent.estimated, reported, error, account }
}
