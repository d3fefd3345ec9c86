/** Why a provider or a model cannot be used, in words: what happened, what it means, what to do. */
import type { Diagnosis } from '#contracts/llm/provider-descriptor.ts'
import type { MetonaError } from '#contracts/metona/metona-response.ts'
import type { ProviderInfo } from './adapters/provider-module.ts'
import type { LiveModel } from './domain/model-table.ts'

export interface DiagnosisFacts {
  readonly info: ProviderInfo
  /** As it was used, for people. */
  readonly baseUrl: string
  /** The model in question; absent: only the provider is. */
  readonly model?: string | undefined
  /** The live list; absent when it could not be had. */
  readonly models?: readonly LiveModel[] | undefined
  /** Why the list could not be had. */
  readonly error?: MetonaError | undefined
  /** HTTP status of that refusal. */
  readonly status?: number | undefined
  /** What to use instead of a model name that was switched off. */
  readonly successor?: string | undefined
}

export type DiagnosisCode =
  | 'ok'
  | 'no_key'
  | 'key_malformed'
  | 'key_refused'
  | 'no_balance'
  | 'not_running'
  | 'model_missing'
  | 'no_tools'
  | 'wrong_base_url'
  | 'rate_limited'
  | 'overloaded'
  | 'unreachable'
  | 'unknown'

export function diagnose(facts: DiagnosisFacts): Diagnosis {
  return facts.error === undefined ? diagnoseModel(facts) : diagnoseError(facts, facts.error)
}

export function sayDiagnosis(info: ProviderInfo, code: DiagnosisCode, en: string, zh: string, details?: string): Diagnosis {
  return {
    provider: info.id,
    ok: code === 'ok',
    code,
    message: en,
    sentences: { en, zh },
    ...(details === undefined || details === '' ? {} : { details }),
  }
}

function diagnoseModel({ info, model, models, successor }: DiagnosisFacts): Diagnosis {
  const name = info.displayName
  const fine = sayDiagnosis(info, 'ok', `${name} works.`, `${name} 可以使用。`)
  if (model === undefined || models === undefined || models.length === 0) return fine
  // Ollama's names may leave the tag out.
  const found = models.find((entry) => entry.id === model || entry.id === `${model}:latest`)
  if (found === undefined) {
    const known = models.slice(0, 50).map((entry) => entry.id)
    const list = known.join(', ')
    if (successor !== undefined)
      return sayDiagnosis(
        info,
        'model_missing',
        `${name} switched "${model}" off. Requests for it fail. Use ${successor} instead.`,
        `${name} 已停用模型“${model}”，请求会失败。请改用 ${successor}。`,
        list,
      )
    if (info.id === 'ollama')
      return sayDiagnosis(
        info,
        'model_missing',
        `Ollama runs but has no model "${model}". It must be downloaded first. Run: ollama pull ${model}`,
        `Ollama 正在运行，但没有模型“${model}”，需要先下载。请运行：ollama pull ${model}`,
        list,
      )
    return sayDiagnosis(
      info,
      'model_missing',
      `${name} works but does not list the model "${model}". The name may be wrong, or your account may not have it. Choose another one.`,
      `${name} 可以使用，但列表中没有模型“${model}”。名称可能有误，或账户没有权限。请选择其他模型。`,
      list,
    )
  }
  if (found.supportsToolCalling === false)
    return sayDiagnosis(
      info,
      'no_tools',
      `"${model}" cannot use tools. It can chat, but neither read files nor run commands. Choose a model with tool support for such work.`,
      `模型“${model}”不支持工具，只能对话，不能读取文件或运行命令。需要这些功能时请选择支持工具的模型。`,
    )
  return fine
}

function diagnoseError({ info, baseUrl, model, successor, status }: DiagnosisFacts, error: MetonaError): Diagnosis {
  const name = info.displayName
  const say = (code: DiagnosisCode, en: string, zh: string): Diagnosis => sayDiagnosis(info, code, en, zh, error.message)
  const variable = info.keyVariable ?? 'API_KEY'
  switch (error.providerCode) {
    case 'NO_KEY':
      return say(
        'no_key',
        `There is no key for ${name}. It cannot be used without one. Set ${variable} or enter the key in the settings.`,
        `还没有 ${name} 的密钥，没有密钥无法使用。请设置环境变量 ${variable}，或在设置中填写密钥。`,
      )
    case 'KEY_MALFORMED':
      return say(
        'key_malformed',
        `The key for ${name} contains a space, a line break or a character no key has. Something was copied along with it. Paste the key again.`,
        `${name} 的密钥中含有空格、换行或不可能出现的字符，可能复制了多余内容。请重新粘贴密钥。`,
      )
    case 'ECONNREFUSED':
      return notRunning(info, baseUrl, say)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return say(
        'unreachable',
        `The name of the server in ${baseUrl} cannot be found. There is no network, or the address has a typing mistake. Check both.`,
        `找不到地址 ${baseUrl} 中的服务器名称。可能没有网络，或地址有误。请检查网络和地址。`,
      )
    case 'BASE_URL_INVALID':
      return say(
        'wrong_base_url',
        `"${baseUrl}" is no web address. Nothing can be sent there. Enter one that begins with http:// or https://.`,
        `“${baseUrl}”不是有效的网址，无法发送请求。请填写以 http:// 或 https:// 开头的地址。`,
      )
    case 'HTML':
      return say(
        'wrong_base_url',
        `${baseUrl} answers with a web page, not with an API. It is the address of a site, a proxy or a login page. Use the API's own address.`,
        `${baseUrl} 返回的是网页而不是接口，可能是网站、代理或登录页。请改用接口地址。`,
      )
    case 'REDIRECT':
      return say(
        'wrong_base_url',
        `${baseUrl} sends requests on to another address. Keys are not sent after it. Enter the final address.`,
        `${baseUrl} 会跳转到其他地址，密钥不会随之发送。请填写最终地址。`,
      )
  }
  if (error.providerCode !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(error.providerCode)) {
    return say(
      'unreachable',
      `The certificate of ${baseUrl} is not trusted here. A company proxy, an antivirus program or a wrong address may be in between. Add its authority to the system's certificates, or correct the address.`,
      `${baseUrl} 的证书不受信任，中间可能有公司代理、杀毒软件，或地址有误。请把其根证书加入系统，或更正地址。`,
    )
  }
  switch (error.code) {
    case 'auth_expired':
      return say(
        'key_refused',
        `${name} says that the key has expired or was revoked. It cannot be used any more. Make a new key and enter it.`,
        `${name} 表示密钥已过期或被吊销，无法再使用。请新建密钥并填写。`,
      )
    case 'auth_invalid':
      return status === 403
        ? say(
            'key_refused',
            `${name} knows the key but does not allow this. The region, the account or the key's rights forbid it. Check them on the provider's page.`,
            `${name} 认得密钥，但不允许此操作，可能受地区、账户或密钥权限限制。请在服务商页面检查。`,
          )
        : say(
            'key_refused',
            `${name} does not accept the key. It is wrong, or belongs to another service. Paste it again or make a new one.`,
            `${name} 不接受这个密钥，可能有误或属于其他服务。请重新粘贴，或新建密钥。`,
          )
    case 'quota_exceeded':
      return say(
        'no_balance',
        `The key is fine, but the account at ${name} has no balance or quota left. Requests are refused. Top it up, or wait for the next period.`,
        `密钥有效，但 ${name} 账户的余额或额度已用完，请求会被拒绝。请充值，或等待下一周期。`,
      )
    case 'rate_limited':
      return say(
        'rate_limited',
        `${name} limits the requests for now. The key itself may be fine. Wait a little and check again.`,
        `${name} 目前限制了请求频率，密钥本身可能有效。请稍后再试。`,
      )
    case 'model_overloaded':
      return say(
        'overloaded',
        `${name} is overloaded for now. The key itself may be fine. Check again later.`,
        `${name} 目前过载，密钥本身可能有效。请稍后再试。`,
      )
    case 'model_not_found':
      return successor === undefined
        ? say(
            'model_missing',
            `${name} does not have the model${model === undefined ? '' : ` "${model}"`}. Choose another one.`,
            `${name} 没有模型${model === undefined ? '' : `“${model}”`}。请选择其他模型。`,
          )
        : say(
            'model_missing',
            `${name} switched "${model ?? ''}" off. Requests for it fail. Use ${successor} instead.`,
            `${name} 已停用模型“${model ?? ''}”，请求会失败。请改用 ${successor}。`,
          )
    case 'network_timeout':
      return say(
        'unreachable',
        `${name} did not answer in time at ${baseUrl}. The network, a proxy or the server is slow or silent. Check the network and try again.`,
        `${name} 没有在规定时间内响应（${baseUrl}），网络、代理或服务器可能过慢或无响应。请检查网络后重试。`,
      )
    case 'network_error':
      return say(
        'unreachable',
        `${name} cannot be reached at ${baseUrl}. The network, a proxy or the address is in the way. Check them and try again.`,
        `无法连接 ${name}（${baseUrl}），可能是网络、代理或地址的问题。请检查后重试。`,
      )
    case 'invalid_response':
    case 'parse_error':
      return say(
        'wrong_base_url',
        `${baseUrl} answers, but not as the API of ${name} does. It is probably another service. Check the address.`,
        `${baseUrl} 有响应，但不是 ${name} 的接口，可能是其他服务。请检查地址。`,
      )
    default:
      return status === 404 || status === 405
        ? wrongPath(info, baseUrl, say)
        : say('unknown', `${name} refused the check: ${error.message}`, `${name} 拒绝了检查：${error.message}`)
  }
}

type Say = (code: DiagnosisCode, en: string, zh: string) => Diagnosis

function notRunning(info: ProviderInfo, baseUrl: string, say: Say): Diagnosis {
  if (info.id === 'ollama')
    return say(
      'not_running',
      `Ollama does not run at ${baseUrl}. No local model can answer. Start the Ollama app, or run: ollama serve`,
      `Ollama 没有在 ${baseUrl} 运行，本地模型无法响应。请启动 Ollama，或运行：ollama serve`,
    )
  return say(
    'not_running',
    `Nothing listens at ${baseUrl}. The server is not running, or it uses another port. Start it, or correct the address.`,
    `${baseUrl} 上没有服务，可能没有启动，或使用了其他端口。请启动服务，或更正地址。`,
  )
}

function wrongPath(info: ProviderInfo, baseUrl: string, say: Say): Diagnosis {
  if (/\/v1\/+v1(?:\/|$)/.test(baseUrl))
    return say(
      'wrong_base_url',
      `${baseUrl} has /v1 twice. There is nothing at that address. Remove one of them.`,
      `${baseUrl} 中 /v1 出现了两次，该地址上没有接口。请删去一个。`,
    )
  return say(
    'wrong_base_url',
    `${baseUrl} has no model list of ${info.displayName}. The path is wrong, or the server does not offer lists. Compare it with the API root in the server's documentation.`,
    `${baseUrl} 上没有 ${info.displayName} 的模型列表，路径可能有误，或服务器不提供列表。请对照服务器文档中的接口根地址。`,
  )
}
