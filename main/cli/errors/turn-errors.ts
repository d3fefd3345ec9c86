/** Turns that ended badly. */
import { ExitCode } from '../exit-code.ts'
import { entry, type ErrorEntry } from './error-entry.ts'

const { FAILED, REFUSED, LIMIT, ABORTED } = ExitCode

export const TURN_ERRORS: Readonly<Record<string, ErrorEntry>> = {
  network_timeout: entry(
    FAILED,
    'The provider {provider} did not answer in time.\nTry again; behind a proxy check its settings.',
    '服务商 {provider} 没有及时回应。\n请重试；若使用代理，请检查其设置。',
    true,
  ),
  network_error: entry(
    FAILED,
    'The provider {provider} could not be reached, or the connection broke.\nCheck the network and the base URL, then try again.',
    '无法连接服务商 {provider}，或连接中断。\n请检查网络和 base URL，然后重试。',
    true,
  ),
  rate_limited: entry(
    FAILED,
    'The provider {provider} allows no more requests at the moment.\nWait a while or lower --concurrency.',
    '服务商 {provider} 暂时不接受更多请求。\n请稍候，或降低 --concurrency。',
    true,
  ),
  quota_exceeded: entry(
    FAILED,
    'The quota or balance at {provider} is used up.\nTop it up at the provider.',
    '{provider} 的配额或余额已用完。\n请在服务商处充值。',
    true,
  ),
  model_overloaded: entry(
    FAILED,
    'The provider {provider} is overloaded.\nTry again in a while.',
    '服务商 {provider} 负载过高。\n请稍后重试。',
    true,
  ),
  context_length_exceeded: entry(
    FAILED,
    'The request is longer than the model takes.\nShorten the prompt, or use a model with a larger context window.',
    '请求超出了模型的上下文长度。\n请缩短提示词，或使用上下文窗口更大的模型。',
    true,
  ),
  output_length_exceeded: entry(
    FAILED,
    'The answer reached the limit of its length and is cut off.\nRaise llm.maxTokens, or ask for less at once.',
    '回答达到长度上限，已被截断。\n请提高 llm.maxTokens，或一次少问一些。',
    true,
  ),
  content_filtered: entry(
    FAILED,
    'The provider {provider} held the answer back by its content filter.',
    '服务商 {provider} 的内容过滤拦截了回答。',
    true,
  ),
  parse_error: entry(
    FAILED,
    'What the provider {provider} sent could not be read.\nThe stream held invalid data; what came before it is kept.\nTry again; if it stays, check the base URL.',
    '无法读取服务商 {provider} 发送的数据。\n数据流中有无效内容；此前的内容已保留。\n请重试；若仍然如此，请检查 base URL。',
    true,
  ),
  invalid_response: entry(
    FAILED,
    'What the provider {provider} answered is no answer of its API.\nOften the base URL leads to a web page instead of the API.\nCheck --base-url.',
    '服务商 {provider} 的回应不是其 API 的回应。\n常见原因是 base URL 指向网页而不是 API。\n请检查 --base-url。',
    true,
  ),
  max_iterations: entry(
    LIMIT,
    'The limit of model requests for one turn was reached.\nWhat was done is kept.\nContinue the session with --session, or raise --max-iterations.',
    '达到单轮模型请求次数上限。\n已完成的内容已保留。\n可用 --session 继续该会话，或提高 --max-iterations。',
  ),
  timeout: entry(
    LIMIT,
    'The time for this turn is over.\nWhat was done is kept.\nContinue the session with --session, or raise --timeout.',
    '本轮时间已到。\n已完成的内容已保留。\n可用 --session 继续该会话，或提高 --timeout。',
  ),
  REPEATED_CALL: entry(
    LIMIT,
    'The model asked for the very same call again and again.\nThe turn was ended; what was done is kept.\nContinue the session with --session and say what it should do instead.',
    '模型反复请求完全相同的调用。\n本轮已结束；已完成的内容已保留。\n可用 --session 继续该会话，并说明应当怎么做。',
  ),
  TURN_TOKENS: entry(
    LIMIT,
    'The token budget of one turn is used up.\nWhat was done is kept.\nContinue the session with --session, or raise limits.turnTokens.',
    '单轮的 token 预算已用完。\n已完成的内容已保留。\n可用 --session 继续该会话，或提高 limits.turnTokens。',
    true,
  ),
  TURN_MONEY: entry(
    LIMIT,
    'The money budget of one turn is used up.\nWhat was done is kept.\nContinue the session with --session, or raise limits.turnMoney.',
    '单轮的金额预算已用完。\n已完成的内容已保留。\n可用 --session 继续该会话，或提高 limits.turnMoney。',
    true,
  ),
  SESSION_TOKENS: entry(
    LIMIT,
    'The token budget of this session is used up.\nWhat was done is kept.\nRaise limits.sessionTokens, or start another session.',
    '该会话的 token 预算已用完。\n已完成的内容已保留。\n请提高 limits.sessionTokens，或新建会话。',
    true,
  ),
  SESSION_MONEY: entry(
    LIMIT,
    'The money budget of this session is used up.\nWhat was done is kept.\nRaise limits.sessionMoney, or start another session.',
    '该会话的金额预算已用完。\n已完成的内容已保留。\n请提高 limits.sessionMoney，或新建会话。',
    true,
  ),
  limit_reached: entry(
    LIMIT,
    'A limit of this turn was reached.\nWhat was done is kept; continue the session with --session.',
    '达到本轮的限制。\n已完成的内容已保留；可用 --session 继续该会话。',
    true,
  ),
  user_aborted: entry(ABORTED, 'Stopped.', '已停止。'),
  interrupted: entry(
    FAILED,
    'The turn was interrupted.\nWhat was committed is kept, nothing will be run twice.\nContinue with --session {session}.',
    '本轮被中断。\n已提交的内容已保留，不会重复运行。\n可用 --session {session} 继续。',
  ),
  unknown: entry(FAILED, 'The turn failed.', '本轮失败。', true),
  STRICT_DENIED: entry(REFUSED, 'A call was not allowed, and --strict makes that a failure.', '有调用未获允许，而 --strict 将其视为失败。'),
}
