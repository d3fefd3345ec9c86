/** The help pages. Commands that do not exist yet are not in them. */
import type { Language } from './language.ts'

interface Page {
  readonly usage: string
  readonly en: string
  readonly zh: string
}

const PAGES: Readonly<Record<string, Page>> = {
  run: {
    usage: `metona run [-w DIR] [-m PROVIDER/MODEL] [--base-url URL] [--permission plan|ask|auto_edit|full_access] [--sandbox auto|off]
           [--trust] [--session ID] [--max-iterations N] [--timeout S] [--strict] [--json [--deltas]] [PROMPT | -]`,
    en: `Runs one prompt in a folder. The answer goes to standard output, progress to standard error.

  -w, --workspace DIR    the folder to work in; default: the current one
  -m, --model P/M        provider and model; default: the setting llm.model, else the first provider with a key
  --base-url URL         root of the provider's API, with or without a slash or /v1 at the end
  --permission MODE      plan: only look · ask: nothing that changes or runs (nobody can be asked here)
                         auto_edit: files too · full_access: everything
  --sandbox auto|off     auto: commands run in a sandbox where there is one ("metona doctor" says), and auto_edit
                         then runs them too; off: commands run with your rights
  --trust                trust the folder for this run
  --session ID           continue a session
  --max-iterations N     most model requests
  --timeout S            longest time, in seconds
  --strict               a call that was not allowed makes the run fail (exit 4)
  --json                 one JSON object a line: every event as it stands in the log
  --deltas               with --json: what streams in between, too
  PROMPT                 the prompt; - or nothing reads it from standard input`,
    zh: `在文件夹中运行一条提示词。回答写到标准输出，进度写到标准错误。

  -w, --workspace DIR    工作文件夹；默认为当前文件夹
  -m, --model P/M        服务商和模型；默认取设置 llm.model，否则取第一个有密钥的服务商
  --base-url URL         服务商 API 的根地址，末尾有无斜杠或 /v1 均可
  --permission MODE      plan：只查看 · ask：不更改也不运行（这里无人可以询问）
                         auto_edit：可编辑文件 · full_access：不限制
  --sandbox auto|off     auto：有沙箱时命令在沙箱中运行（见 metona doctor），auto_edit 也可运行命令；
                         off：命令以你的权限运行
  --trust                本次运行信任该文件夹
  --session ID           继续一个会话
  --max-iterations N     模型请求次数上限
  --timeout S            最长时间（秒）
  --strict               有调用未获允许时视为失败（退出码 4）
  --json                 每行一个 JSON 对象：与日志一致的每个事件
  --deltas               与 --json 合用：同时输出流式内容
  PROMPT                 提示词；写 - 或不写则从标准输入读取`,
  },
  batch: {
    usage:
      'metona batch FILE.jsonl|- [--concurrency N] [-w DIR] [-m PROVIDER/MODEL] [--base-url URL] [--permission MODE] [--sandbox auto|off] [--trust] [--json]',
    en: `Runs every line of a file as a session of its own, several at once, in one process.
A line: {"prompt": "…", "workspace"?: "DIR", "model"?: "P/M", "id"?: "…", "session"?: "ID"}. Blank lines are skipped;
one bad line, and nothing is run (exit 2).

  --concurrency N        how many run at once; default 8
  --json                 events as they come, each with "line"; the last line is {"event":"batch_end","ok":N,"failed":N}
  The other options are those of "run" and hold for lines that do not say otherwise.`,
    zh: `把文件的每一行作为单独的会话运行，多个同时进行，都在一个进程中。
每行：{"prompt": "……", "workspace"?: "DIR", "model"?: "P/M", "id"?: "……", "session"?: "ID"}。空行跳过；
只要有一行有误，就什么都不运行（退出码 2）。

  --concurrency N        同时运行的数量；默认 8
  --json                 事件随到随出，每个带 "line"；最后一行是 {"event":"batch_end","ok":N,"failed":N}
  其余选项与 run 相同，用于未自行指定的行。`,
  },
  serve: {
    usage: 'metona serve [--port N] [--no-open]',
    en: 'Shows the app in a browser on this machine. The first line of standard output is its address.',
    zh: '在本机浏览器中显示应用。标准输出的第一行是地址。',
  },
  start: {
    usage: 'metona start [--web] [--port N] [--no-open]',
    en: 'Starts the app in a window of its own, else in a browser (--web: always).',
    zh: '在独立窗口中启动应用，否则在浏览器中显示（--web：总是用浏览器）。',
  },
  sessions: {
    usage: `metona sessions list | show ID | search QUERY
metona sessions export ID [--format md|json|html] [-o FILE]
metona sessions fork ID [--at SEQ] | delete ID [--yes]`,
    en: 'What is stored in a workspace (-w DIR). list, show, export and search only read: they need no trust and run nothing.',
    zh: '工作空间（-w DIR）中保存的内容。list、show、export、search 只读取：不需要信任，也不运行任何内容。',
  },
  trust: {
    usage: 'metona trust DIR | --list | --remove DIR | --grants [-w DIR] | --revoke ID',
    en: `Folders whose files may influence an agent. Kept in your profile, never in the folder.

  --grants     what you allowed for good, newest first; with -w that of one folder
  --revoke ID  takes one of these back`,
    zh: `哪些文件夹中的文件可以影响智能体。保存在个人设置中，不在文件夹里。

  --grants     你长期允许的内容，最新的在前；-w 只列出一个文件夹的
  --revoke ID  收回其中一条`,
  },
  network: {
    usage: 'metona network list | allow DOMAIN | remove DOMAIN   [-w DIR]',
    en: `Domains that commands in the sandbox may reach over HTTP and HTTPS; all else stays closed. Kept in your profile.
With -w in that folder only, else in every folder. It holds from the next command on.

  DOMAIN   registry.npmjs.org · *.example.com: every name below it · example.com:8443: another port`,
    zh: `沙箱中的命令可以通过 HTTP 和 HTTPS 访问的域名，其余一律不通。保存在个人设置中。
带 -w 时只对该文件夹有效，否则对所有文件夹有效。从下一条命令起生效。

  DOMAIN   registry.npmjs.org · *.example.com：它下面的所有名称 · example.com:8443：其他端口`,
  },
  memory: {
    usage: 'metona memory list [--type T] | add TEXT | search QUERY | import FILE | check   [-w DIR] [--json]',
    en: `Shows and adds what is remembered in a folder, and looks over its MEMORY.md.

  list                   everything that is remembered; --type semantic|episodic|working
  add TEXT               remembers TEXT; --type semantic|episodic, --pin: before the model in every session
    --section S          writes a line of MEMORY.md instead: preferences "[category] text", context "[project] text",
                         decisions "YYYY-MM-DD: text", todo "[pending] text", issues "problem | scope | solution"
    --trust              trust the folder for this run
  search QUERY           best first, with its score
  import FILE            remembers the lines of FILE, written as list --json prints them (notes of a session excepted);
                         what is there already is skipped, pins are not taken over, bad lines are named; exit 1 when there are any
  check                  lines of MEMORY.md that are not in their form, with numbers; exit 1 when there are any`,
    zh: `显示和添加文件夹中的记忆，并检查其中的 MEMORY.md。

  list                   全部记忆；--type semantic|episodic|working
  add TEXT               记住 TEXT；--type semantic|episodic，--pin：每个会话都交给模型
    --section S          改为在 MEMORY.md 写一行：preferences "[类别] 内容"，context "[项目] 内容"，
                         decisions "YYYY-MM-DD: 内容"，todo "[pending] 任务"，issues "问题 | 范围 | 方案"
    --trust              本次运行信任该文件夹
  search QUERY           按相关程度排列，附分数
  import FILE            记住 FILE 中的各行，格式同 list --json 的输出（会话的工作笔记除外）；
                         已有的跳过，置顶不会带过来，无法使用的行会指出行号；有这样的行时退出码为 1
  check                  MEMORY.md 中不符合格式的行及行号；有问题时退出码为 1`,
  },
  config: {
    usage: 'metona config get KEY | set KEY VALUE | list   [-w DIR | --profile]',
    en: "Settings. With -w those of a folder, with --profile your own; without either the folder's where the current one is a workspace.",
    zh: '设置。-w 指文件夹的设置，--profile 指个人设置；都不写时，若当前文件夹是工作空间则为该文件夹的设置。',
  },
  mcp: {
    usage: `metona mcp list | remove NAME | approve NAME [--yes] | test NAME | import FILE|-
metona mcp add NAME [-- [KEY=VALUE …] COMMAND [ARGUMENT …]] [--url URL [--transport http|sse] [--header "NAME: VALUE"]]`,
    en: `MCP servers of a folder (-w DIR): programs and services that give the model more tools.
Nothing starts before "approve": it shows what would start and, once it runs, what the model would be told of its tools.

  approve --yes   agrees without asking
  test            connects and lists the tools; exit 1 when it fails
  import          takes over the "mcpServers" of another program's configuration
  --trust         trust the folder for this run`,
    zh: `文件夹（-w DIR）的 MCP 服务器：为模型提供更多工具的程序和服务。
在 approve 之前什么都不会启动：它先显示要启动什么，运行之后再显示模型会看到的工具说明。

  approve --yes   不询问，直接同意
  test            连接并列出工具；失败时退出码 1
  import          导入其他程序配置中的 "mcpServers"
  --trust         本次运行信任该文件夹`,
  },
  models: {
    usage: 'metona models [PROVIDER]',
    en: 'What the providers offer, with context length and price.',
    zh: '各服务商提供的模型，含上下文长度和价格。',
  },
  doctor: {
    usage: 'metona doctor [-w DIR] [--verify | --rebuild | --perf]',
    en: `Looks whether everything is there.

  --verify     compares database, logs and audit trail; exit 0 clean, 1 differences, each listed
  --rebuild    makes the database anew from the logs; exit 3 when the workspace is in use
  --perf       runs a few scripted turns in a folder of their own and tells how long each thread, call and commit took`,
    zh: `检查所需是否齐全。

  --verify     比对数据库、日志和审计记录；退出码 0 一致，1 有差异（逐条列出）
  --rebuild    由日志重建数据库；工作空间被占用时退出码 3
  --perf       在独立的临时文件夹中运行几个脚本轮次，列出各线程、调用和写入的用时`,
  },
  bench: { usage: 'metona bench', en: 'Runs the measurements and prints the table.', zh: '运行测量并打印结果表。' },
}

const EXIT_CODES = {
  en: 'Exit codes: 0 done · 1 failed or interrupted · 2 wrong usage · 3 configuration, key, or something in use · 4 not trusted or (--strict) not allowed · 5 limit reached · 130 stopped',
  zh: '退出码：0 完成 · 1 失败或中断 · 2 用法错误 · 3 配置、密钥或被占用 · 4 未受信任，或（--strict）未获允许 · 5 达到上限 · 130 已停止',
} as const
const GLOBAL = {
  en: 'Everywhere: -w DIR · --json (one object a line) · --lang zh|en · --help. `metona COMMAND --help` tells more.',
  zh: '通用：-w DIR · --json（每行一个对象）· --lang zh|en · --help。`metona COMMAND --help` 查看详情。',
} as const

/** @param topic a command; anything else gives the overview. */
export function helpText(topic: string, language: Language): string {
  const page = PAGES[topic.split(' ')[0] ?? '']
  if (page !== undefined) return `${page.usage}\n\n${page[language]}\n\n${EXIT_CODES[language]}\n`
  const overview = Object.values(PAGES).map((entry) => entry.usage)
  return `Metona\n\n${overview.join('\n')}\n\n${GLOBAL[language]}\n${EXIT_CODES[language]}\n`
}

/** For the test that every command has its page. */
export const HELP_TOPICS: readonly string[] = Object.keys(PAGES)
