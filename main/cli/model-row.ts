/** One line of `metona models`: what a model holds, can do and costs. */
import type { MetonaModelInfo, MetonaPricing } from '#contracts/metona/metona-adapter.ts'
import { fill } from './fill.ts'
import type { Messages } from './messages-en.ts'

export function modelRow(model: MetonaModelInfo, text: Messages): string[] {
  return [
    `${model.providerId}/${model.id}`,
    model.displayName,
    model.contextWindow.toLocaleString('en'),
    model.maxOutput.toLocaleString('en'),
    abilities(model, text),
    priceText(model.pricing, text),
  ]
}

function abilities(model: MetonaModelInfo, text: Messages): string {
  const names = [
    model.supportsToolCalling ? text.canUseTools : '',
    model.supportsThinking ? text.canThink : '',
    model.supportsImages ? text.canSeeImages : '',
    model.supportsStructuredOutput ? text.canGiveJson : '',
  ].filter((name) => name !== '')
  return names.length === 0 ? '-' : names.join(', ')
}

/** Input and output first; a price that is not known says so and is never 0. */
function priceText(pricing: MetonaPricing | undefined, text: Messages): string {
  if (pricing === undefined) return text.priceUnknown
  if (pricing.inputPerMillion === 0 && pricing.outputPerMillion === 0) return text.priceFree
  const parts = [`${pricing.inputPerMillion} / ${pricing.outputPerMillion} ${pricing.currency}`]
  if (pricing.cacheHitPerMillion !== undefined) parts.push(fill(text.priceCacheHit, { price: pricing.cacheHitPerMillion }))
  if (pricing.cacheWritePerMillion !== undefined) parts.push(fill(text.priceCacheWrite, { price: pricing.cacheWritePerMillion }))
  if (pricing.peak !== undefined)
    parts.push(fill(text.pricePeak, { input: pricing.peak.inputPerMillion, output: pricing.peak.outputPerMillion }))
  if (pricing.longPrompt !== undefined)
    parts.push(
      fill(text.priceLongPrompt, {
        tokens: pricing.longPrompt.aboveInputTokens.toLocaleString('en'),
        input: pricing.longPrompt.inputPerMillion,
        output: pricing.longPrompt.outputPerMillion,
      }),
    )
  if (pricing.asOf !== undefined) parts.push(fill(text.priceAsOf, { day: pricing.asOf }))
  return parts.join(text.priceJoin)
}
