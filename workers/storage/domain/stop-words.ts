/** Words that say nothing about what a question is about. Only questions are freed of them; what is stored keeps its words. */
import { isCjk } from './memory-terms.ts'
import { porterStem } from './porter-stem.ts'

const ENGLISH = new Set(
  `a about above after again against all also always am an and any anyone anything are aren around as ask at away be because been before
  being below between both but by can cannot come could did didn do does doesn doing don done down during each either else ever every for from
  further get gets getting give go goes going got had has have having he help her here him his how i if in into is isn it its itself just keep
  know let like ll look make makes may maybe me might mine more most much must my need needs no nor not now of off often ok on once one only
  onto or other our ours out over own per please put re really remember remembered remind said same say see seem seems shall she should since
  so some someone something still such take tell than thank thanks that the their them then there these they thing things think this those
  through to too try under until up upon us use used uses using usually ve very want wants was wasn we well were weren what whatever when
  where whether which while who whom whose why will with within without won would yet you your yours`
    .split(/\s+/)
    .map(porterStem),
)

/** A pair with one of these is grammar, or runs across the border of two words. */
const CHINESE_CHARACTERS = new Set('的了吗呢吧啊么呀哦嘛着是在和与或及而且但就都也还又很太被把我你您他她它咱这那哪谁几怎请该些没什')

const CHINESE_PAIRS = new Set(
  '什么 怎么 怎样 如何 为何 多少 是否 一下 一个 现在 目前 之前 之后 以后 以前 时候 事情 东西 知道 记得 告诉 需要 应该 必须 可以 使用 关于 通常 平时 一般 里面 上面 下面 哪里 哪个 哪些 我们 你们 他们 大家 自己 问题'.split(
    ' ',
  ),
)

export function isStopTerm(term: string): boolean {
  if (!isCjk(term)) return ENGLISH.has(term) || term.length === 1
  return CHINESE_PAIRS.has(term) || [...term].some((character) => CHINESE_CHARACTERS.has(character))
}
