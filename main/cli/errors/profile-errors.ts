/** Configuration, keys, trust, and what is in use. */
import { ExitCode } from '../exit-code.ts'
import { entry, type ErrorEntry } from './error-entry.ts'

const { CONFIGURATION, REFUSED } = ExitCode

export const PROFILE_ERRORS: Readonly<Record<string, ErrorEntry>> = {
  // Configuration, keys, what is in use.
  NO_MODEL: entry(
    CONFIGURATION,
    'No model was chosen.\nNone was named with -m, none is configured, and no provider has a key.\nSet a key (for example DEEPSEEK_API_KEY) or run with -m demo/scripted, which needs none.',
    '没有选定模型。\n未用 -m 指定，也未配置，而且没有服务商有密钥。\n请设置密钥（例如 DEEPSEEK_API_KEY），或使用无需密钥的 -m demo/scripted。',
  ),
  UNKNOWN_PROVIDER: entry(
    CONFIGURATION,
    'There is no provider "{provider}".\nKnown: {known}.',
    '没有服务商“{provider}”。\n已知：{known}。',
  ),
  MISSING_MODEL: entry(
    CONFIGURATION,
    'The model of {provider} is missing.\nA model is written PROVIDER/MODEL; `metona models {provider}` lists them.',
    '缺少 {provider} 的模型。\n模型写作 PROVIDER/MODEL；`metona models {provider}` 列出可选的模型。',
  ),
  MISSING_KEY: entry(
    CONFIGURATION,
    'There is no key for {provider}.\nWithout it the provider refuses every request.\nSet the environment variable {variable}.',
    '没有 {provider} 的密钥。\n没有密钥，服务商会拒绝所有请求。\n请设置环境变量 {variable}。',
  ),
  NO_KEY: entry(
    CONFIGURATION,
    'There is no key for {provider}.\nWithout it the provider refuses every request.\nSet its environment variable (`metona doctor` names it).',
    '没有 {provider} 的密钥。\n没有密钥，服务商会拒绝所有请求。\n请设置对应的环境变量（`metona doctor` 会列出）。',
  ),
  KEY_MALFORMED: entry(
    CONFIGURATION,
    'The key for {provider} cannot be right: it holds a space, a line break or another character no key has.\nIt was not sent.\nCopy it again without them.',
    '{provider} 的密钥不可能正确：其中有空格、换行或密钥不会有的字符。\n没有发送。\n请重新复制，去掉这些字符。',
  ),
  auth_invalid: entry(
    CONFIGURATION,
    'The provider {provider} refused the key.\nCheck the key and that it belongs to this provider.',
    '服务商 {provider} 拒绝了密钥。\n请检查密钥，并确认它属于该服务商。',
    true,
  ),
  auth_expired: entry(
    CONFIGURATION,
    'The key for {provider} has expired.\nMake a new one at the provider.',
    '{provider} 的密钥已过期。\n请在服务商处新建。',
    true,
  ),
  model_not_found: entry(
    CONFIGURATION,
    'The provider {provider} does not know this model.\n`metona models {provider}` lists those it has.',
    '服务商 {provider} 没有这个模型。\n`metona models {provider}` 列出可用的模型。',
    true,
  ),
  BASE_URL_INCOMPLETE: entry(
    CONFIGURATION,
    'The base URL of this session held a key or password, and those are not stored.\nWithout it the provider cannot be reached as before.\nGive it again with --base-url.',
    '该会话的 base URL 含有密钥或密码，而这些不会被保存。\n没有它就无法像之前那样访问服务商。\n请用 --base-url 重新给出。',
  ),
  WORKSPACE_IN_USE: entry(
    CONFIGURATION,
    'The folder is in use by another Metona{holder}.\nTwo must not write to one folder at the same time.\nWait for it to end, or use another folder.',
    '该文件夹正被另一个 Metona 使用{holder}。\n同一文件夹不能同时由两个程序写入。\n请等待其结束，或使用其他文件夹。',
  ),
  WORKSPACE_READ_ONLY: entry(
    CONFIGURATION,
    '{path} can only be read.\nThe folder or its database does not allow writing.\nCheck its permissions, or whether a newer Metona has used it.',
    '{path} 只能读取。\n该文件夹或其数据库不允许写入。\n请检查权限，或是否被更新版本的 Metona 使用过。',
  ),
  NEWER_DATABASE: entry(
    CONFIGURATION,
    'The database of this folder was made by a newer Metona.\nThis one can only read it.\nUpdate Metona.',
    '该文件夹的数据库由更新版本的 Metona 创建。\n当前版本只能读取。\n请更新 Metona。',
  ),
  UNSAFE_WORKSPACE: entry(
    CONFIGURATION,
    'Something of this folder is a link or of the wrong kind, and nothing is written through it.\nIt could lead out of the folder.\nRemove it or use another folder.',
    '该文件夹中有链接或类型不对的内容，不会通过它写入。\n它可能指向文件夹之外。\n请将其移除，或使用其他文件夹。',
    true,
  ),
  EADDRINUSE: entry(
    CONFIGURATION,
    'The port {port} is in use by another program.\nChoose another with --port, or leave it out for a free one.',
    '端口 {port} 正被其他程序使用。\n请用 --port 选择其他端口，或不指定以使用空闲端口。',
  ),
  EACCES: entry(
    CONFIGURATION,
    'The system does not allow this.\nCheck who owns the file or folder and its permissions.',
    '系统不允许此操作。\n请检查文件或文件夹的所有者和权限。',
    true,
  ),
  NOT_BUILT: entry(
    CONFIGURATION,
    '{what} is not there.\nRun `npm run build` in the program folder.',
    '缺少 {what}。\n请在程序文件夹运行 `npm run build`。',
  ),

  // Trust.
  UNTRUSTED: entry(
    REFUSED,
    '{path} is not trusted yet.\nFiles in a folder can tell an agent what to do, so nothing of it was read, and nothing was written.{found}\nAdd --trust for this run, or run `metona trust {path}` once.',
    '{path} 尚未受信任。\n文件夹中的文件可以指示智能体，因此没有读取其中任何内容，也没有写入。{found}\n本次运行请加 --trust，或运行一次 `metona trust {path}`。',
  ),
  NEEDS_STORED_TRUST: entry(
    REFUSED,
    '{path} is too wide to be a workspace: the root, your home folder or a network folder.\nNothing was read or written.\nUse a folder inside it. If you mean it, run `metona trust {path}` once.',
    '{path} 作为工作空间过于宽泛：根目录、主目录或网络文件夹。\n没有读取或写入任何内容。\n请使用其中的文件夹；若确有需要，请先运行一次 `metona trust {path}`。',
  ),
}
