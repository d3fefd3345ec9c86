/**
 * Why a call is allowed, asked about or refused: a code with values, kept in events, and its sentence in both languages.
 * This table is the only list of codes; page, terminal and the words for the model are made from it.
 */
import * as z from 'zod'

export const ApprovalReasonSchema = z.object({ code: z.string(), params: z.record(z.string(), z.string()).optional() })
export type ApprovalReason = z.infer<typeof ApprovalReasonSchema>
type Texts = Readonly<Record<'en' | 'zh', string>>
const text = (en: string, zh: string): Texts => ({ en, zh })

const REASONS = {
  // The mode.
  mode_plan: text('plan mode only looks', '“只规划”模式只读取'),
  mode_ask: text('ask mode asks before this', '“每次询问”模式下会先询问'),
  mode_auto_edit: text('auto_edit mode asks before commands and connections', '“自由编辑”模式下运行命令和联网前会询问'),
  mode_full_access: text('full_access mode asks nothing', '“完全访问”模式从不询问'),
  sandboxed: text('it runs in the sandbox', '在沙箱中运行'),
  // The person's own word.
  no_answer: text('no answer within {seconds} s', '{seconds} 秒内无人回答'),
  withdrawn: text('who asked no longer waits for an answer', '询问方已不再等待回答'),
  question: text('the model has a question', '模型有一个问题'),
  granted: text('allowed before: {prefix}', '此前已允许：{prefix}'),
  granted_tool: text('your setting for this tool allows it', '你对这个工具的设置允许'),
  granted_edits: text('edits were allowed for this session', '本会话已允许编辑'),
  harmless: text('all its programs only look, inside the folder', '其中的程序都只在文件夹内查看'),
  rule_allow: text('your rule allows it: {rule}', '你的规则允许：{rule}'),
  rule_ask: text('your rule asks before it: {rule}', '你的规则要求先询问：{rule}'),
  rule_deny: text('your rule forbids it: {rule}', '你的规则禁止：{rule}'),
  rule_unclear: text(
    'whether your rule forbids it cannot be told, because the command holds {what}: {rule}',
    '命令中有{what}，无法判断你的规则是否禁止：{rule}',
  ),
  // What an MCP server asks while a call of its tool runs.
  mcp_sampling: text(
    'the MCP server “{server}” wants the text below to be sent to {model} at your cost, and the answer (at most {tokens} tokens) for itself',
    'MCP 服务器“{server}”希望把下面的文字发给 {model}（费用由你承担），并取得回答（最多 {tokens} 个 token）',
  ),
  mcp_open_page: text(
    'the MCP server “{server}” asks you to open the page below yourself; it is not opened for you',
    'MCP 服务器“{server}”请你自行打开下面的网页；应用不会替你打开',
  ),
  // What the call touches.
  outside_workspace: text('it is outside the workspace: {path}', '在工作空间之外：{path}'),
  foreign_hard_link: text('{path} is a hard link to a file of another user', '{path} 是指向其他用户文件的硬链接'),
  may_hold_secrets: text('{path} may hold secrets', '{path} 可能含有机密'),
  holds_credentials: text('{path} may hold keys or credentials', '{path} 可能含有密钥或凭据'),
  instructs_agents: text('{path} instructs agents in later sessions', '{path} 会在以后的会话中指示智能体'),
  configures_programs: text('{path} configures tools that run programs', '{path} 配置会运行程序的工具'),
  changes_git: text('{path} changes what git runs', '{path} 会改变 git 运行的内容'),
  package_sources: text('{path} decides where programs and packages come from', '{path} 决定程序和软件包的来源'),
  package_scripts: text('the scripts in {path} run with the project', '{path} 中的脚本会随项目运行'),
  runs_in_ci: text('{path} runs with commits or in CI', '{path} 会在提交时或 CI 中运行'),
  runs_at_start: text('shells or programs run {path} when they start', 'Shell 或程序启动时会运行 {path}'),
  // The command line.
  hidden_characters: text('the command holds characters that are invisible or look like others', '命令中有不可见或易混淆的字符'),
  command_unclear: text('what the command starts cannot be told beforehand: it holds {what}', '无法预先判断命令会启动什么：其中有{what}'),
  files_unbound: text(
    'the files it names are too large or too many to tell whether they change before it runs',
    '它指定的文件过大或过多，无法判断运行前是否有变',
  ),
  network_in_background: text(
    'it runs on in the background and can reach {domains} as long as it runs, also after secrets have been read',
    '它会在后台继续运行，运行期间一直可以访问 {domains}，即使之后读取了机密',
  ),
  leaks: text(
    'in this session {path} was read, which may hold secrets, and so was text from outside; {url} could carry the one away at the other’s wish',
    '本会话读取过可能含有机密的 {path}，也读取过外来文本；访问 {url} 可能按后者的意图把机密带走',
  ),
} satisfies Readonly<Record<string, Texts>>
export type ApprovalReasonCode = keyof typeof REASONS

/** Values of `what`: the part of a command line that a person must judge. */
const PARTS = {
  length: text('more text than is read', '过长的文本'),
  syntax: text('something the grammar does not know', '语法无法识别的内容'),
  doubtful: text('something that can be read in two ways', '有两种读法的内容'),
  unread: text('text that could not be checked by the grammar', '未能由语法检查的文本'),
  nothing: text('no command', '空命令'),
  variable: text('a variable', '变量'),
  assignment: text('a variable that is set', '变量赋值'),
  substitution: text('a substitution', '命令替换'),
  backslash: text('a backslash', '反斜杠'),
  quote: text('a quote that is not closed', '未闭合的引号'),
  subshell: text('a subshell or a function', '子 shell 或函数'),
  braces: text('braces', '花括号'),
  pattern: text('a file name pattern', '文件名通配'),
  home: text('a home folder', '用户主目录'),
  exclamation: text('an exclamation mark', '感叹号'),
  comment: text('a comment', '注释'),
  input: text('input from a file or a text', '来自文件或文本的输入'),
  output: text('output into a file', '输出到文件'),
  background: text('a background command', '后台命令'),
  operator: text('an operator without a command', '缺少命令的运算符'),
  shell_word: text('a word of the shell’s own language', 'Shell 自身的语句'),
  character: text('an unusual character', '特殊字符'),
} satisfies Readonly<Record<string, Texts>>
export type CommandPartCode = keyof typeof PARTS

/** @returns the code itself where a newer or older version wrote it. */
export function approvalReasonText({ code, params = {} }: ApprovalReason, language: 'en' | 'zh'): string {
  const texts = Object.hasOwn(REASONS, code) ? REASONS[code as ApprovalReasonCode] : undefined
  if (texts === undefined) return code
  return texts[language].replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params[name] ?? ''
    return name === 'what' && Object.hasOwn(PARTS, value) ? PARTS[value as CommandPartCode][language] : value
  })
}
