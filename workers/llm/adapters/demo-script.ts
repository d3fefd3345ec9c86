/** What the scripted demo says and does. No model: it reads the prompt for a few intentions and reports what the tools returned. */
import type { MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaToolResult } from '#contracts/metona/metona-tool.ts'
import { toolResultText } from '../domain/message-text.ts'

export interface DemoStep {
  readonly thinking: string
  readonly text: string
  readonly call?: { readonly name: string; readonly args: Record<string, unknown> }
}

interface Situation {
  readonly chinese: boolean
  readonly prompt: string
  /** Results since the last prompt, oldest first. */
  readonly results: readonly MetonaToolResult[]
  readonly offered: ReadonlySet<string>
}

export function nextDemoStep(request: MetonaRequest): DemoStep {
  const start = request.messages.findLastIndex((message) => message.role === 'user')
  const prompt = request.messages[start]?.content ?? ''
  const situation: Situation = {
    chinese: /\p{Script=Han}/u.test(prompt),
    prompt,
    results: request.messages
      .slice(start + 1)
      .flatMap((message: MetonaMessage) => (message.toolResult === undefined ? [] : [message.toolResult])),
    offered: new Set((request.tools ?? []).map((tool) => tool.name)),
  }
  const command = commandIn(prompt)
  const file = fileIn(prompt)
  if (command !== undefined && situation.offered.has('run_command')) return runCommand(situation, command)
  if (file !== undefined && wantsToWrite(prompt) && situation.offered.has('write_file')) return writeFile(situation, file)
  if (file !== undefined && situation.offered.has('read_file')) return readFile(situation, file)
  return introduce(situation)
}

function say(situation: Situation, chinese: string, english: string): string {
  return situation.chinese ? chinese : english
}

function readFile(situation: Situation, file: string): DemoStep {
  const read = resultOf(situation, 'read_file')
  if (read === undefined) {
    return {
      thinking: say(
        situation,
        `用户想了解 ${file}。先用 read_file 打开它，看看里面是什么。`,
        `The person asks about ${file}. First I open it with read_file to see what is in it.`,
      ),
      text: '',
      call: { name: 'read_file', args: { file_path: file } },
    }
  }
  const table = /\.(?:csv|tsv)$/i.test(file)
  if (table && situation.offered.has('analyze_csv')) {
    const analysis = resultOf(situation, 'analyze_csv')
    // Text in an old encoding may be too much for read_file and none for analyze_csv.
    if (analysis === undefined && (read.success || !isMissing(read))) {
      return {
        thinking: say(
          situation,
          '文件已经读到。它是表格，用 analyze_csv 数出行数、列名和各列的统计。',
          'The file is open. It is a table, so analyze_csv can count its rows and describe its columns.',
        ),
        text: '',
        call: { name: 'analyze_csv', args: { file_path: file } },
      }
    }
    if (analysis?.success === true)
      return {
        thinking: say(situation, '两个工具都有结果了，可以回答。', 'Both tools have answered; now I can report.'),
        text: reportTable(situation, file, analysis),
      }
    if (analysis !== undefined) return { thinking: '', text: reportFailure(situation, analysis) }
  }
  if (!read.success) return explainMissing(situation, read)
  return {
    thinking: say(situation, '文件内容有了，概括一下。', 'The content is here; a short summary follows.'),
    text: reportText(situation, file, toolResultText(read)),
  }
}

function isMissing(read: MetonaToolResult): boolean {
  return /no such|not exist|not found|no file|enoent|denied|outside|不存在|找不到|拒绝/i.test(read.error ?? toolResultText(read))
}

/** The file could not be read: look what there is. */
function explainMissing(situation: Situation, read: MetonaToolResult): DemoStep {
  const listing = resultOf(situation, 'list_directory')
  if (listing === undefined && situation.offered.has('list_directory')) {
    return {
      thinking: say(situation, '读取失败。看看文件夹里有哪些文件。', 'Reading failed. I look which files there are.'),
      text: '',
      call: { name: 'list_directory', args: { path: '.' } },
    }
  }
  const there =
    listing?.success === true
      ? say(
          situation,
          `\n\n文件夹里有：\n${bounded(toolResultText(listing))}`,
          `\n\nThe folder holds:\n${bounded(toolResultText(listing))}`,
        )
      : ''
  return { thinking: '', text: reportFailure(situation, read) + there }
}

function reportFailure(situation: Situation, result: MetonaToolResult): string {
  return say(
    situation,
    `${result.toolName} 没有成功：${result.error ?? toolResultText(result)}`,
    `${result.toolName} did not succeed: ${result.error ?? toolResultText(result)}`,
  )
}

function reportTable(situation: Situation, file: string, analysis: MetonaToolResult): string {
  const facts = tableFacts(analysis.result)
  const details = analysis.summary ?? toolResultText(analysis)
  if (facts === undefined)
    return say(situation, `${file} 的分析结果：\n\n${bounded(details)}`, `What the analysis of ${file} says:\n\n${bounded(details)}`)
  const columns = facts.columns.map((name) => `\`${name}\``)
  const head = say(
    situation,
    `${file} 共有 ${facts.rows} 行数据、${facts.columns.length} 列：${columns.join('、')}。`,
    `${file} has ${facts.rows} rows of data and ${facts.columns.length} columns: ${columns.join(', ')}.`,
  )
  return `${head}\n\n${bounded(details)}\n\n${signature(situation)}`
}

/** Row count and column names, under any of the names a table tool may give them. */
function tableFacts(result: unknown): { rows: number; columns: string[] } | undefined {
  if (typeof result !== 'object' || result === null) return undefined
  const fields = result as Record<string, unknown>
  const rows = [fields['rowCount'], fields['row_count'], fields['rows'], fields['totalRows']].find((value) => typeof value === 'number')
  const list = [fields['columns'], fields['columnNames'], fields['headers'], fields['fields']].find((value) => Array.isArray(value))
  if (typeof rows !== 'number' || !Array.isArray(list)) return undefined
  const columns = (list as unknown[]).map((column) =>
    typeof column === 'string'
      ? column
      : typeof column === 'object' && column !== null
        ? String((column as { name?: unknown }).name ?? '')
        : String(column),
  )
  return { rows, columns }
}

function reportText(situation: Situation, file: string, content: string): string {
  const lines = content.split(/\r?\n/)
  const shown = lines.slice(0, 5).join('\n')
  return `${say(situation, `${file} 读到了 ${lines.length} 行。开头是：`, `${file} was read: ${lines.length} lines. It begins with:`)}\n\n\`\`\`\n${bounded(shown)}\n\`\`\`\n\n${signature(situation)}`
}

function writeFile(situation: Situation, file: string): DemoStep {
  const written = resultOf(situation, 'write_file')
  if (written === undefined) {
    const content =
      quotedTexts(situation.prompt).find((text) => text !== file) ??
      say(situation, '这个文件由演示模型写入。\n', 'This file was written by the demo model.\n')
    return {
      thinking: say(situation, `用户要写 ${file}，用 write_file。`, `The person wants ${file} written; write_file does that.`),
      text: '',
      call: { name: 'write_file', args: { file_path: file, content } },
    }
  }
  if (!written.success) return { thinking: '', text: reportFailure(situation, written) }
  return {
    thinking: '',
    text: `${say(situation, `${file} 已写好。`, `${file} is written.`)}\n\n${bounded(toolResultText(written))}\n\n${signature(situation)}`,
  }
}

function runCommand(situation: Situation, command: string): DemoStep {
  const run = resultOf(situation, 'run_command')
  if (run === undefined) {
    return {
      thinking: say(situation, `用户要运行命令 ${command}。`, `The person wants the command ${command} run.`),
      text: '',
      call: { name: 'run_command', args: { command } },
    }
  }
  if (!run.success) return { thinking: '', text: reportFailure(situation, run) }
  return {
    thinking: '',
    text: `${say(situation, `命令 \`${command}\` 的输出：`, `Output of \`${command}\`:`)}\n\n\`\`\`\n${bounded(toolResultText(run))}\n\`\`\`\n\n${signature(situation)}`,
  }
}

function introduce(situation: Situation): DemoStep {
  const listing = resultOf(situation, 'list_directory')
  if (listing === undefined && situation.offered.has('list_directory')) {
    return {
      thinking: say(
        situation,
        '我是演示脚本，不是真正的模型。先列出文件夹，让用户看到工具怎样工作。',
        'I am a demo script, no real model. I list the folder, so that the person sees how tools work.',
      ),
      text: '',
      call: { name: 'list_directory', args: { path: '.' } },
    }
  }
  const hello = say(
    situation,
    '这里是演示模型（demo/scripted）：没有密钥、不联网，也不是真正的语言模型，只会按脚本调用真实的工具。',
    'This is the demo model (demo/scripted): no key, no network, and no real language model. It follows a script and calls real tools.',
  )
  const folder =
    listing === undefined
      ? ''
      : `\n\n${listing.success ? say(situation, '当前文件夹里有：', 'The folder holds:') : ''}\n${listing.success ? bounded(toolResultText(listing)) : reportFailure(situation, listing)}`
  const hint = say(
    situation,
    '\n\n可以试试：“读取 data.csv 并分析内容”、“写入 notes.txt”、“运行 `ls`”。要得到真正的回答，请设置一个服务商的密钥，例如 DEEPSEEK_API_KEY。',
    '\n\nTry: "Read data.csv and analyse it", "Write notes.txt", "Run `ls`". For real answers set a provider\'s key, for example DEEPSEEK_API_KEY.',
  )
  return { thinking: '', text: hello + folder + hint }
}

function signature(situation: Situation): string {
  return say(
    situation,
    '（以上由演示脚本根据工具的真实结果写成，没有使用语言模型。）',
    '(Written by the demo script from what the tools really returned; no language model was used.)',
  )
}

function resultOf(situation: Situation, tool: string): MetonaToolResult | undefined {
  return situation.results.findLast((result) => result.toolName === tool)
}

function bounded(text: string): string {
  return text.length > 4_000 ? `${text.slice(0, 4_000)}…` : text
}

function quotedTexts(prompt: string): string[] {
  return [...prompt.matchAll(/"([^"\n]+)"|“([^”\n]+)”|「([^」\n]+)」|`([^`\n]+)`|'([^'\n]+)'/g)].map(
    (match) => match.slice(1).find((text) => text !== undefined) ?? '',
  )
}

const FILE_NAME = /^[^\n]*\.[A-Za-z0-9]{1,8}$/

/** A file named in the prompt: in quotes, or a word with an ending, verbs in front of it taken off. */
export function fileIn(prompt: string): string | undefined {
  const quoted = quotedTexts(prompt).find((text) => FILE_NAME.test(text.trim()) && !/\s-/.test(text))
  if (quoted !== undefined) return quoted.trim()
  for (const [word] of prompt.matchAll(/[^\s"'`“”「」，。、；：！？（）()<>《》【】,;!?]+\.[A-Za-z0-9]{1,8}(?![A-Za-z0-9])/g)) {
    if (/^(?:https?:|www\.)/i.test(word) || /^\d+(?:\.\d+)+$/.test(word)) continue
    return (
      word.replace(/^(?:请|帮我|麻烦|把|将|对)*(?:读取|打开|查看|分析|看看|看一下|读一下|读|写入|写|创建|新建|生成)?(?:文件)?/u, '') || word
    )
  }
  return undefined
}

function wantsToWrite(prompt: string): boolean {
  return /写入|写一|创建|新建|生成|\bwrite\b|\bcreate\b/i.test(prompt)
}

function commandIn(prompt: string): string | undefined {
  if (!/运行|执行|\brun\b|\bexecute\b/i.test(prompt)) return undefined
  return /`([^`\n]+)`/.exec(prompt)?.[1]
}
