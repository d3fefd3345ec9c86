import type { diagnosis as englishDiagnosis, providerErrors as english } from '../en/provider-errors.ts'

export const providerErrors: typeof english = {
  network_timeout: { what: '{provider} 没有及时响应。', means: '已收到的文字保留，没有再运行工具。', todo: '检查网络后重试。' },
  network_error: {
    what: '与 {provider} 的连接失败。',
    means: '已收到的文字保留，没有再运行工具。',
    todo: '检查网络或设置里的地址，然后重试。',
  },
  auth_invalid: { what: '{provider} 拒绝了密钥。', means: '没有任何改动。', todo: '在设置里粘贴新的密钥，然后重试。' },
  auth_expired: { what: '{provider} 的密钥已过期。', means: '没有任何改动。', todo: '在设置里粘贴新的密钥，然后重试。' },
  rate_limited: { what: '向 {provider} 请求得太频繁。', means: '已达到账户的频率限制，没有任何改动。', todo: '稍后重试，或换一个模型。' },
  quota_exceeded: { what: '{provider} 的额度已用完。', means: '没有得到回答，没有任何改动。', todo: '为账户充值，或换一个模型。' },
  model_overloaded: { what: '{provider} 当前过载。', means: '没有得到回答，没有任何改动。', todo: '稍后重试，或换一个模型。' },
  model_not_found: { what: '{provider} 没有这个模型。', means: '没有改用其他模型。', todo: '请选择另一个模型。' },
  context_length_exceeded: {
    what: '对话超出了这个模型能读取的长度。',
    means: '请求被拒绝，对话内容保持原样。',
    todo: '换一个窗口更大的模型，或新建会话。',
  },
  output_length_exceeded: { what: '回答因长度上限被截断。', means: '已收到的文字保留。', todo: '让它继续，或在设置里提高上限。' },
  content_filtered: { what: '{provider} 的内容过滤中止了回答。', means: '已收到的文字保留。', todo: '换一种说法，或换一个模型。' },
  parse_error: {
    what: '无法解析 {provider} 的回答。',
    means: '已收到的文字保留，没有再运行工具。',
    todo: '请重试；如果再次出现，请检查设置里的地址。',
  },
  invalid_response: {
    what: '{provider} 返回的内容不是有效回答。',
    means: '已收到的文字保留，没有再运行工具。',
    todo: '检查设置里的地址，然后重试。',
  },
  REPEATED_CALL: { what: '模型反复请求完全相同的调用。', means: '已完成的部分保留。', todo: '发送消息说明应当怎么做。' },
  TURN_TOKENS: { what: '单轮的 token 预算已用完。', means: '已完成的部分保留。', todo: '发送消息继续，或在设置里提高预算。' },
  TURN_MONEY: { what: '单轮的金额预算已用完。', means: '已完成的部分保留。', todo: '发送消息继续，或在设置里提高预算。' },
  SESSION_TOKENS: { what: '这个会话的 token 预算已用完。', means: '已完成的部分保留。', todo: '在设置里提高预算，或新建会话。' },
  SESSION_MONEY: { what: '这个会话的金额预算已用完。', means: '已完成的部分保留。', todo: '在设置里提高预算，或新建会话。' },
  max_iterations: { what: '已达到单轮的模型请求次数上限。', means: '已完成的部分保留。', todo: '发送消息继续，或在设置里提高上限。' },
  user_aborted: { what: '你停止了它。', means: '已完成的部分保留。', todo: '继续，或发送别的消息。' },
  timeout: { what: '已达到单轮的时间上限。', means: '已完成的部分保留。', todo: '发送消息继续，或在设置里提高上限。' },
  unknown: { what: '本轮因未知错误结束。', means: '{message}', todo: '请重试；如果再次出现，换一个模型。' },
}

export const diagnosis: typeof englishDiagnosis = {
  ok: { what: '正常', means: '{provider} 已响应。', todo: '' },
  no_key: { what: '还没有密钥', means: '没有密钥无法使用 {provider}。', todo: '请添加密钥。' },
  key_malformed: {
    what: '不是密钥',
    means: '这不可能是密钥：其中有空格、换行或密钥不会有的字符，没有发送。',
    todo: '去掉这些字符后重新复制。',
  },
  key_refused: { what: '密钥被拒绝', means: '{provider} 不接受这个密钥，没有任何改动。', todo: '请粘贴新的密钥。' },
  no_balance: { what: '余额不足', means: '密钥有效，但账户没有余额。', todo: '请为账户充值。' },
  not_running: { what: '没有运行', means: '{provider} 的地址上没有服务。', todo: '启动它，然后重新检查。' },
  model_missing: { what: '缺少模型', means: '{provider} 有响应，但没有这个模型。', todo: '换一个模型，或先下载它。' },
  no_tools: { what: '不支持工具', means: '模型能回答，但不能调用工具，只能对话。', todo: '请选择支持工具的模型。' },
  wrong_base_url: { what: '地址不对', means: '那里有服务响应，但不是这类接口。', todo: '请更正地址。' },
  rate_limited: { what: '请求过多', means: '密钥有效，但已达到账户的频率限制。', todo: '稍后重新检查。' },
  overloaded: { what: '过载', means: '{provider} 可达，但正忙。', todo: '稍后重新检查。' },
  unreachable: { what: '无法连接', means: '从这台机器连不上 {provider}。', todo: '检查网络、代理和地址。' },
  unknown: { what: '检查失败', means: '{message}', todo: '请重新检查。' },
}
