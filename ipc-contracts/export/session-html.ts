/** A session as one HTML file. */
import type { SessionSnapshot } from '../session/session-snapshot.ts'
import { exportWords, type ExportLanguage } from './export-words.ts'
import { itemText, outcomeText } from './item-text.ts'

const STYLE =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f2;padding:.75rem;border-radius:6px;font-size:.85rem}section{margin:1.5rem 0}h2{font-size:1rem;color:#555}.text{white-space:pre-wrap;overflow-wrap:anywhere}@media(prefers-color-scheme:dark){body{color:#e6e6e3;background:#161616}pre{background:#222}h2{color:#aaa}}'

/** One file that loads and runs nothing. */
export function sessionHtml(snapshot: SessionSnapshot, language: ExportLanguage): string {
  const words = exportWords[language]
  const section = (title: string, body: string): string => `<section><h2>${escapeHtml(title)}</h2>${body}</section>`
  const body = snapshot.items.map((item): string => {
    switch (item.kind) {
      case 'user':
        return section(words.user, `<div class="text">${escapeHtml(item.content)}</div>`)
      case 'assistant': {
        const thinking =
          item.thinking === undefined || item.thinking.content === ''
            ? ''
            : `<details><summary>${escapeHtml(words.thinking)}</summary><pre>${escapeHtml(item.thinking.content)}</pre></details>`
        return item.text === '' && thinking === ''
          ? ''
          : section(`${words.assistant} ${item.model ?? ''}`, `${thinking}<div class="text">${escapeHtml(item.text)}</div>`)
      }
      case 'tool':
        return section(
          `${words.tool}: ${item.name} — ${item.status}`,
          `<pre>${escapeHtml(JSON.stringify(item.args, null, 2))}</pre><pre>${escapeHtml(outcomeText(item))}</pre>`,
        )
      case 'notice':
      case 'turn_end':
        return `<p><em>${escapeHtml(itemText(item, language))}</em></p>`
    }
  })
  const title = escapeHtml(snapshot.title || snapshot.sessionId)
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p>${escapeHtml(words.from(snapshot.sessionId, snapshot.workspace))}</p>
${body.filter((part) => part !== '').join('\n')}
</body>
</html>
`
}

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
