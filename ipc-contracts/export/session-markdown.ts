/** A session as Markdown, thinking folded away. */
import type { SessionSnapshot } from '../session/session-snapshot.ts'
import { exportWords, type ExportLanguage } from './export-words.ts'
import { itemText, outcomeText } from './item-text.ts'

/** Longer than any run of backticks inside, so that the text cannot end its own block. */
function fenced(content: string, kind = ''): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${kind}\n${content}\n${fence}`
}

export function sessionMarkdown(snapshot: SessionSnapshot, language: ExportLanguage): string {
  const words = exportWords[language]
  const blocks = snapshot.items.map((item): string => {
    switch (item.kind) {
      case 'user':
        return `## ${words.user}\n\n${item.content}`
      case 'assistant': {
        const thinking =
          item.thinking === undefined || item.thinking.content === ''
            ? ''
            : `<details><summary>${words.thinking}</summary>\n\n${fenced(item.thinking.content)}\n\n</details>\n\n`
        return item.text === '' && thinking === ''
          ? ''
          : `## ${words.assistant}${item.model === undefined ? '' : ` (${item.model})`}\n\n${thinking}${item.text}`
      }
      case 'tool':
        return `### ${words.tool}: ${item.name} — ${item.status}\n\n${fenced(JSON.stringify(item.args, null, 2), 'json')}\n\n${fenced(outcomeText(item))}`
      case 'notice':
        return `> ${item.message.replaceAll('\n', '\n> ')}`
      case 'turn_end':
        return `*${itemText(item, language)}*`
    }
  })
  const head = `# ${snapshot.title || snapshot.sessionId}\n\n${words.from(snapshot.sessionId, snapshot.workspace)}`
  return `${[head, ...blocks].filter((block) => block !== '').join('\n\n')}\n`
}
