/** What a provider reported of a request: the anchor of the next estimate, and a lesson for later ones. */
import type { ReportInput, ReportOutput } from '#contracts/context/token-report.ts'
import { isCredible, learnOffset, learnSlope } from './domain/calibrate.ts'
import { answerTokens } from './estimate.ts'
import { addError, type ModelAccounts } from './model-accounts.ts'
import type { SessionContext } from './session-context.ts'

export function reportUsage(session: SessionContext | undefined, report: ReportInput, accounts: ModelAccounts): ReportOutput {
  const sent = session?.sent
  const reported = report.usage.inputTokens
  if (session === undefined || sent === undefined || sent.requestId !== report.requestId)
    return { used: false, estimated: 0, reported, error: 0 }
  const error = reported > 0 ? (sent.estimated - reported) / reported : 0
  if (!isCredible(reported, sent.estimated)) return { used: false, estimated: sent.estimated, reported, error }

  const account = accounts.of(sent.provider, sent.model)
  const meter = session.meter(sent.provider, sent.model)
  const previous = session.anchor
  if (!sent.anchored) {
    account.calibration = learnOffset(reported, sent.counted, meter.isExact ? { ...account.calibration, slope: 1 } : account.calibration)
    account.toolsSignature = sent.tools.signature
  } else if (previous !== undefined && !meter.isExact) {
    const news = sent.messages.slice(previous.sent.messages.length)
    const reply = news[0]?.role === 'assistant' ? news[0] : undefined
    const answer = reply === undefined ? 0 : answerTokens(meter, reply, previous.usage)
    const counted = news.slice(reply === undefined ? 0 : 1).reduce((sum, message) => sum + meter.message(message), 0)
    account.calibration = learnSlope(reported - previous.usage.inputTokens - answer, counted, account.calibration)
  }
  if (session.reports > 0) addError(account, error)
  session.reports++
  account.stats = {
    ...account.stats,
    counter: meter.counter,
    reports: account.stats.reports + 1,
    lastEstimated: sent.estimated,
    lastReported: reported,
  }
  session.anchor = { sent, usage: report.usage }
  return { used: true, estimated: sent.estimated, reported, error }
}
