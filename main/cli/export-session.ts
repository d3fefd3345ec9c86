/** A stored session for people and other programs: Markdown, JSON, HTML, or plain text for the terminal. */
import { emptySnapshot, reduceSession } from '#contracts/session/reduce-session.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { SessionSnapshot, TranscriptItem } from '#contracts/session/session-snapshot.ts'
import { elapsed } from './elapsed.ts'
import type { Speech } from './explain-error.ts'
import { fill } from './fill.ts'
import { plainText } from './plain-text.ts'

export function exportAs(format: 'md' | 'json' | 'html', events: readonly SessionEvent[], speech: Speech): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify({ sessionId: events[0]?.sessionId ?? '', events }, null, 2)}\n`
    case 'md':
      return markdown(fold(events), speech)
    case 'html':
      return html(fold(events), speech)
  }
}

export function transcriptText(events: readonly SessionEvent[], speech: Speech): string {
  const snapshot = fold(events)
  return `${snapshot.items
    .map((item) => plainText(textOf(item, speech)))
    .filter((text) => text !== '')
    .join('\n\n')}\n`
}

function fold(events: readonly SessionEvent[]): SessionSnapshot {
  return reduceSession(emptySnapshot(events[0]?.sessionId ?? ''), events)
}

function textOf(item: TranscriptItem, { text, language }: Speech): string {
  switch (item.kind) {
    case 'user':
      return `${text.speakerUser}:\n${item.content}`
    case 'assistant':
      return item.text === '' ? '' : `${text.speakerAssistant} (${item.model ?? ''}):\n${item.text}`
    case 'tool':
      return `${text.speakerTool}: ${item.name} ${JSON.stringify(item.args)}\n→ ${item.status} ${outcomeText(item)}`
    case 'notice':
      return fill(text.notice, { message: item.message })
    case 'turn_end':
      return `${fill(text.turnEnded, { reason: item.reason })} · ${elapsed(item.durationMs, language)}`
  }
}

function outcomeText(item: Extract<TranscriptItem, { kind: 'tool' }>): string {
  if (item.error !== undefined) return item.error
  if (item.summary !== undefined) return item.summary
  return typeof item.result === 'string' ? item.result : item.result === undefined ? '' : JSON.stringify(item.result)
}

/** Longer than any run of backticks inside, so that the text cannot end its own block. */
function fenced(content: string, kind = ''): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${kind}\n${content}\n${fence}`
}

function markdown(snapshot: SessionSnapshot, speech: Speech): string {
  const { text } = speech
  const blocks = snapshot.items.map((item): string => {
    switch (item.kind) {
      case 'user':
        return `## ${text.speakerUser}\n\n${item.content}`
      case 'assistant': {
        const thinking =
          item.thinking === undefined || item.thinking.content === ''
            ? ''
            : `<details><summary>${text.speakerThinking}</summary>\n\n${fenced(item.thinking.content)}\n\n</details>\n\n`
        return item.text === '' && thinking === ''
          ? ''
          : `## ${text.speakerAssistant}${item.model === undefined ? '' : ` (${item.model})`}\n\n${thinking}${item.text}`
      }
      case 'tool':
        return `### ${text.speakerTool}: ${item.name} — ${item.status}\n\n${fenced(JSON.stringify(item.args, null, 2), 'json')}\n\n${fenced(outcomeText(item))}`
      case 'notice':
        return `> ${item.message.replaceAll('\n', '\n> ')}`
      case 'turn_end':
        return `*${textOf(item, speech)}*`
    }
  })
  const head = `# ${snapshot.title || snapshot.sessionId}\n\n${fill(text.exportedFrom, { session: snapshot.sessionId, workspace: snapshot.workspace })}`
  return `${[head, ...blocks].filter((block) => block !== '').join('\n\n')}\n`
}

const STYLE =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f2;padding:.75rem;border-radius:6px;font-size:.85rem}section{margin:1.5rem 0}h2{font-size:1rem;color:#555}.text{white-space:pre-wrap;overflow-wrap:anywhere}@media(prefers-color-scheme:dark){body{color:#e6e6e3;background:#161616}pre{background:#222}h2{color:#aaa}}'

/** One file that loads and runs nothing. */
function html(snapshot: SessionSnapshot, speech: Speech): string {
  const { text } = speech
  const section = (title: string, body: string): string => `<section><h2>${escapeHtml(title)}</h2>${body}</section>`
  const body = snapshot.items.map((item): string => {
    switch (item.kind) {
      case 'user':
        return section(text.speakerUser, `<div class="text">${escapeHtml(item.content)}</div>`)
      case 'assistant': {
        const thinking =
          item.thinking === undefined || item.thinking.content === ''
            ? ''
            : `<details><summary>${escapeHtml(text.speakerThinking)}</summary><pre>${escapeHtml(item.thinking.content)}</pre></details>`
        return item.text === '' && thinking === ''
          ? ''
          : section(`${text.speakerAssistant} ${item.model ?? ''}`, `${thinking}<div class="text">${escapeHtml(item.text)}</div>`)
      }
      case 'tool':
        return section(
          `${text.speakerTool}: ${item.name} — ${item.status}`,
          `<pre>${escapeHtml(JSON.stringify(item.args, null, 2))}</pre><pre>${escapeHtml(outcomeText(item))}</pre>`,
        )
      case 'notice':
      case 'turn_end':
        return `<p><em>${escapeHtml(textOf(item, speech))}</em></p>`
    }
  })
  const title = escapeHtml(snapshot.title || snapshot.sessionId)
  return `<!doctype html>
<html lang="${speech.language === 'zh' ? 'zh-CN' : 'en'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p>${escapeHtml(fill(text.exportedFrom, { session: snapshot.sessionId, workspace: snapshot.workspace }))}</p>
${body.filter((part) => part !== '').join('\n')}
</body>
</html>
`
}

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
