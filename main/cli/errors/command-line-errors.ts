/** What can be wrong with a command line. */
import { ExitCode } from '../exit-code.ts'
import { entry, type ErrorEntry } from './error-entry.ts'

const { FAILED, USAGE, CONFIGURATION } = ExitCode

export const COMMAND_LINE_ERRORS: Readonly<Record<string, ErrorEntry>> = {
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
  BAD_DOMAIN: entry(
    USAGE,
    '"{domain}" is no domain that can be allowed.\nNumbers, names without a dot and whole addresses cannot.\nWrite it like registry.npmjs.org, *.example.com or example.com:8443.',
    '“{domain}”不是可以允许的域名。\n数字地址、不带点的名称和完整网址都不行。\n请写成 registry.npmjs.org、*.example.com 或 example.com:8443。',
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
  MEMORY_CHANGED: entry(
    USAGE,
    'This memory was changed meanwhile.\nNothing was changed.\nLook at it and try again.',
    '这条记忆在此期间被改动了。\n没有更改。\n请查看后再试。',
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
}
