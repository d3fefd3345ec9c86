/**
 * Every failure a terminal can show: code → exit code and what to say. Each text has up to three lines:
 * what happened, what it means, what to do. `{name}` is filled from the error's params.
 */
import { ExitCode } from './exit-code.ts'
import type { Language } from './language.ts'

export interface ErrorEntry extends Readonly<Record<Language, string>> {
  readonly exit: ExitCode
  /** The original message adds something the text cannot know. */
  readonly detail?: true
}

const { FAILED, USAGE, CONFIGURATION, REFUSED, LIMIT, ABORTED } = ExitCode
const entry = (exit: ExitCode, en: string, zh: string, detail?: true): ErrorEntry => ({
  exit,
  en,
  zh,
  ...(detail === undefined ? {} : { detail }),
})

export const ERROR_TABLE: Readonly<Record<string, ErrorEntry>> = {
  // The command line.
  UNKNOWN_COMMAND: entry(
    USAGE,
    'There is no command "{command}".\n{suggestion}Run `metona --help` for the list.',
    '没有命令“{command}”。\n{suggestion}运行 `metona --help` 查看列表。',
  ),
  UNKNOWN_OPTION: entry(USAGE, 'There is no option {option} here.', '这里没有选项 {option}。'),
  NO_VALUE_TAKEN: entry(USAGE, '{option} takes no value.', '{option} 不带值。'),
  VALUE_MISSING: entry(USAGE, '{option} needs a value after it.', '{option} 后面需要一个值。'),
  GIVEN_TWICE: entry(USAGE, '{option} was given twice.', '{option} 出现了两次。'),
  BAD_CHOICE: entry(USAGE, '{option} cannot be "{value}".\nIt may be: {choices}.', '{option} 不能是“{value}”。\n可选：{choices}。'),
  NOT_A_PORT: entry(
    USAGE,
    '{option} needs a port between 0 and 65535, not "{value}".',
    '{option} 需要 0 到 65535 之间的端口，而不是“{value}”。',
  ),
  NOT_AN_INTEGER: entry(USAGE, '{option} needs a whole number, not "{value}".', '{option} 需要整数，而不是“{value}”。'),
  NOT_SECONDS: entry(USAGE, '{option} needs a number of seconds above 0, not "{value}".', '{option} 需要大于 0 的秒数，而不是“{value}”。'),
  OUT_OF_RANGE: entry(USAGE, '{option} must be between {least} and {most}.', '{option} 必须在 {least} 到 {most} 之间。'),
  BAD_MODEL: entry(
    USAGE,
    '"{value}" is no model.\nA model is written PROVIDER/MODEL, for example deepseek/deepseek-chat.',
    '“{value}”不是模型。\n模型写作 PROVIDER/MODEL，例如 deepseek/deepseek-chat。',
  ),
  BAD_BASE_URL: entry(
    USAGE,
    '"{value}" is no address of an API.\nIt must begin with http:// or https://.',
    '“{value}”不是 API 地址。\n必须以 http:// 或 https:// 开头。',
  ),
  NO_PROMPT: entry(
    USAGE,
    'There is no prompt, and standard input is a terminal.\nWrite it after the command, `metona run "…"`, or pipe it in: `… | metona run -`.',
    '没有提示词，而标准输入是终端。\n请写在命令后面：`metona run "……"`，或用管道传入：`… | metona run -`。',
  ),
  EMPTY_PROMPT: entry(
    USAGE,
    'The prompt is empty.\nWrite it after the command or pipe it in.',
    '提示词是空的。\n请写在命令后面，或用管道传入。',
  ),
  WORD_MISSING: entry(USAGE, '{what} is missing.', '缺少 {what}。'),
  WORD_UNEXPECTED: entry(USAGE, 'There is nothing "{word}" could mean here.', '这里的“{word}”没有意义。'),
  OPTIONS_CLASH: entry(USAGE, '{left} and {right} do not go together.', '{left} 和 {right} 不能同时使用。'),
  BAD_LINE: entry(
    USAGE,
    'Line {line} of {file} cannot be used: {reason}.\nNothing was run.',
    '{file} 的第 {line} 行无法使用：{reason}。\n没有运行任何内容。',
  ),
  NO_LINES: entry(USAGE, '{file} holds no line to run.', '{file} 中没有可运行的行。'),
  FILE_UNREADABLE: entry(USAGE, '{file} could not be read ({reason}).', '无法读取 {file}（{reason}）。'),
  FILE_UNWRITABLE: entry(FAILED, '{file} could not be written ({reason}).', '无法写入 {file}（{reason}）。'),
  NOT_CONFIRMED: entry(
    USAGE,
    'Deleting cannot be undone, and nobody can be asked here.\nAdd --yes.',
    '删除无法撤销，而这里无人可以确认。\n请加上 --yes。',
  ),
  NOT_A_FOLDER: entry(
    USAGE,
    '{path} is no folder.\nA workspace is a folder that exists.\nMake it first, or name another with -w.',
    '{path} 不是文件夹。\n工作空间必须是已存在的文件夹。\n请先创建，或用 -w 指定另一个。',
  ),
  UNKNOWN_KEY: entry(
    USAGE,
    'There is no setting "{key}".\n`metona config list` shows them all.',
    '没有设置项“{key}”。\n`metona config list` 显示全部。',
  ),
  BAD_VALUE: entry(USAGE, '"{value}" does not fit the setting {key}.', '“{value}”不适合设置项 {key}。', true),
  PROFILE_ONLY: entry(
    USAGE,
    '{key} belongs to you, not to a folder: a folder must not decide it.\nSet it with --profile.',
    '{key} 属于你本人而不属于文件夹：文件夹不能决定它。\n请用 --profile 设置。',
  ),
  ONLY_TIGHTENS: entry(
    USAGE,
    'A folder may only make {key} stricter than your own setting.\nA folder must not loosen what protects you.\nChange your own with --profile.',
    '文件夹只能把 {key} 设得比你的个人设置更严格。\n文件夹不能放宽对你的保护。\n请用 --profile 更改个人设置。',
    true,
  ),
  FILE_CHANGED: entry(
    FAILED,
    '{file} was changed by something else since it was read.\nNothing was written.\nRead it again first.',
    '{file} 在读取之后被其他程序改动了。\n没有写入。\n请先重新读取。',
  ),
  NOT_EDITABLE: entry(
    FAILED,
    '{file} cannot be edited here: {reason}.\nNothing was changed.\nOpen it in an editor.',
    '{file} 不能在这里编辑：{reason}。\n没有改动任何内容。\n请用编辑器打开。',
  ),
  MODELS_FILE_DAMAGED: entry(
    CONFIGURATION,
    'models.json in the profile is no valid JSON.\nIt was left as it is.\nCorrect it: {path}',
    '个人配置中的 models.json 不是有效的 JSON。\n文件保持原样。\n请修正：{path}',
  ),
  SECRET_IN_CONFIG: entry(
    USAGE,
    'The value holds a key or token, and settings are no place for it.\nNothing was stored.\nPut it into an environment variable.',
    '该值包含密钥或令牌，不能保存在设置中。\n没有保存。\n请放入环境变量。',
  ),
  SECRET_IN_MEMORY: entry(
    USAGE,
    'The text holds a password, key or token, and those are never remembered.\nNothing was stored.\nLeave it out, or keep it in an environment variable.',
    '文本含有密码、密钥或令牌，这些内容不会被记住。\n没有保存。\n请去掉它，或放入环境变量。',
  ),
  MEMORY_TEXT: entry(
    USAGE,
    'The text cannot be remembered, because it becomes part of what the model reads.\nHeadings, code fences, prompt tags and invisible characters are not allowed in it.\nNothing was stored.',
    '这段文本不能被记住，因为它会成为模型读到的内容。\n其中不允许标题、代码围栏、提示标签和不可见字符。\n没有保存。',
    true,
  ),
  MEMORY_FORM: entry(
    USAGE,
    'The line does not have the form of its section.\nNothing was written.\nThe form is: {form}',
    '这一行不符合所在小节的格式。\n没有写入。\n格式为：{form}',
  ),
  MEMORY_NOT_FOUND: entry(USAGE, 'This memory is not there any more.\nNothing was changed.', '这条记忆已不存在。\n没有更改。'),
  MEMORY_ITEM_NOT_FOUND: entry(
    USAGE,
    'MEMORY.md has no such item.\nNothing was changed.\nLook at the file: it may have been changed meanwhile.',
    'MEMORY.md 中没有这个条目。\n没有更改。\n请查看文件：它可能已被改动。',
  ),
  MEMORY_ITEM_TWICE: entry(
    USAGE,
    'MEMORY.md has this item more than once.\nNothing was changed.\nRemove one of them by hand.',
    'MEMORY.md 中这个条目出现多次。\n没有更改。\n请手动删除多余的。',
  ),
  MEMORY_READ_ONLY: entry(
    CONFIGURATION,
    'MEMORY.md was made by a newer Metona, or is not UTF-8.\nIt is only read, and nothing was changed.\nUpdate Metona, or save the file as UTF-8.',
    'MEMORY.md 由更新版本的 Metona 创建，或不是 UTF-8 编码。\n只读取，没有更改。\n请更新 Metona，或将文件保存为 UTF-8。',
  ),
  MEMORY_FILE_UNSAFE: entry(
    CONFIGURATION,
    'MEMORY.md is a link out of the folder, or no regular file.\nNothing is written through it.\nPut a regular file in its place.',
    'MEMORY.md 是指向文件夹之外的链接，或不是普通文件。\n不会通过它写入。\n请换成普通文件。',
  ),
  MEMORY_FILE_BUSY: entry(
    FAILED,
    'MEMORY.md is being written by another program all the time.\nNothing was changed.\nTry again in a moment.',
    'MEMORY.md 一直在被其他程序写入。\n没有更改。\n请稍后重试。',
  ),
  NAME_TAKEN: entry(
    USAGE,
    'There is already an MCP server named "{name}" in this folder.\nNothing was added.\nChoose another name, or remove that one first.',
    '这个文件夹里已有名为“{name}”的 MCP 服务器。\n没有添加。\n请换一个名字，或先移除它。',
  ),
  MCP_NOT_FOUND: entry(
    USAGE,
    'There is no such MCP server in this folder.\nRun `metona mcp list` to see those there are.',
    '这个文件夹里没有这个 MCP 服务器。\n运行 `metona mcp list` 查看已有的服务器。',
  ),
  MCP_BAD_SERVER: entry(
    USAGE,
    'The MCP server "{name}" cannot be added: {reason}.\nNothing was added.',
    '不能添加 MCP 服务器“{name}”：{reason}。\n没有添加。',
  ),
  MCP_BAD_IMPORT: entry(
    USAGE,
    'The file holds no MCP servers that can be read: {reason}.\nNothing was added.\nIt must be JSON with an "mcpServers" object.',
    '文件里没有可以读取的 MCP 服务器：{reason}。\n没有添加。\n它必须是包含 "mcpServers" 对象的 JSON。',
  ),
  MCP_UNKNOWN_TOOL: entry(
    USAGE,
    '"{tool}" is no approved tool of this MCP server.\nRun `metona mcp list --json` to see its tools.',
    '“{tool}”不是这个 MCP 服务器已批准的工具。\n运行 `metona mcp list --json` 查看它的工具。',
  ),
  MCP_CHANGED: entry(
    CONFIGURATION,
    'The MCP server "{name}" is not what was shown any more.\nNothing was approved.\nLook at it again, then decide.',
    'MCP 服务器“{name}”已不是刚才显示的样子。\n没有批准。\n请重新查看后再决定。',
  ),
  MCP_NOT_APPROVED: entry(
    CONFIGURATION,
    'The MCP server "{name}" is not approved, so it is not started.\nLook at its command with `metona mcp approve {name}`.',
    'MCP 服务器“{name}”尚未批准，因此不会启动。\n请用 `metona mcp approve {name}` 查看它的命令。',
  ),
  BAD_INPUT: entry(USAGE, 'A value given cannot be used.', '给出的值无法使用。', true),

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

  // A turn that ended badly.
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

  // Sessions and storage.
  SESSION_NOT_FOUND: entry(
    FAILED,
    'There is no session {sessionId} in this workspace.\n`metona sessions list` shows those there are.',
    '此工作空间中没有会话 {sessionId}。\n`metona sessions list` 显示现有会话。',
  ),
  SESSION_BUSY: entry(FAILED, 'A turn is running in this session.\nWait for it to end.', '该会话正在运行。\n请等待其结束。'),
  NO_DATABASE: entry(
    FAILED,
    '{path} holds no Metona data.\nName the workspace with -w.',
    '{path} 中没有 Metona 数据。\n请用 -w 指定工作空间。',
  ),
  DISK_FULL: entry(
    FAILED,
    'The disk is full.\nWhat was confirmed so far is safe; nothing more can be kept.\nFree some space and try again.',
    '磁盘已满。\n此前已确认的内容是安全的，但无法再保存。\n请释放空间后重试。',
    true,
  ),
  STORAGE_FAILED: entry(FAILED, 'The data of this folder could not be read or written.', '无法读取或写入该文件夹的数据。', true),
  NOTHING_TO_RETRY: entry(FAILED, 'There is nothing to run again in this session.', '该会话中没有可重新运行的内容。'),
  DATABASE_BUSY: entry(
    FAILED,
    'Another program holds the database of this folder.\nClose it and try again.',
    '其他程序占用了该文件夹的数据库。\n请关闭后重试。',
    true,
  ),

  // Our own machinery.
  WORKER_LOST: entry(
    FAILED,
    'A part of the app ended unexpectedly.\nWhat was committed is kept.\nTry again.',
    '应用的一部分意外结束。\n已提交的内容已保留。\n请重试。',
    true,
  ),
  WORKER_FAILED: entry(
    FAILED,
    'The {worker} part of the app does not start.\nRun `metona doctor`; if bundles are damaged, `npm run build` makes them anew.',
    '应用的 {worker} 部分无法启动。\n请运行 `metona doctor`；若程序文件损坏，可用 `npm run build` 重新生成。',
    true,
  ),
  CALL_TIMEOUT: entry(
    FAILED,
    'A part of the app gave no answer.\nTry again; `metona doctor --perf` shows which part is slow.',
    '应用的一部分没有回应。\n请重试；`metona doctor --perf` 显示哪一部分较慢。',
    true,
  ),
  INTERNAL: entry(
    FAILED,
    'Something went wrong inside Metona.\nPlease report it with the detail below.',
    'Metona 内部出错。\n请附上下面的详情报告。',
    true,
  ),
}

/** Codes that mean the same to a person as another. */
const SAME_AS: Readonly<Record<string, string>> = {
  ENOSPC: 'DISK_FULL',
  SQLITE_FULL: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
  EPERM: 'EACCES',
  UNSAFE_FILE: 'UNSAFE_WORKSPACE',
  READ_ONLY: 'WORKSPACE_READ_ONLY',
  NEWER_SCHEMA: 'NEWER_DATABASE',
  NO_DATA: 'NO_DATABASE',
  UNKNOWN_CONFIG_KEY: 'UNKNOWN_KEY',
  BAD_CONFIG_VALUE: 'BAD_VALUE',
  CONFIG_SCOPE: 'PROFILE_ONLY',
  CONFIG_ONLY_TIGHTENS: 'ONLY_TIGHTENS',
  STORAGE_BACKLOG: 'DISK_FULL',
  STORAGE_CLOSED: 'STORAGE_FAILED',
  SEQ_CONFLICT: 'STORAGE_FAILED',
  SQLITE_CORRUPT: 'STORAGE_FAILED',
  LOG_BEHIND: 'STORAGE_FAILED',
  HOST_STOPPING: 'WORKER_LOST',
  EROFS: 'WORKSPACE_READ_ONLY',
  SQLITE_BUSY: 'DATABASE_BUSY',
  SQLITE_LOCKED: 'DATABASE_BUSY',
  NOT_FOUND: 'NOT_A_FOLDER',
  SESSION_NOT_OPEN: 'SESSION_NOT_FOUND',
  CONTEXT_TOO_LARGE: 'context_length_exceeded',
  MAX_ITERATIONS: 'max_iterations',
  TURN_TIMEOUT: 'timeout',
}

export function errorEntry(code: string): ErrorEntry {
  const own = Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code] : undefined
  return own ?? ERROR_TABLE[SAME_AS[code] ?? 'INTERNAL'] ?? (ERROR_TABLE['INTERNAL'] as ErrorEntry)
}
