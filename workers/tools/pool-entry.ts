/** The threads for CPU-heavy tools: each export is a task (see pool/pool-tasks.ts). Each loads what it needs when first asked. */
import type { MessagePort } from 'node:worker_threads'
import type { CsvFailure, CsvInput, CsvReport } from './csv/csv-types.ts'
import type { MarkdownPage } from './fetch/html-to-markdown.ts'

export async function analyzeCsv(input: CsvInput & { readonly port: MessagePort }): Promise<CsvReport | CsvFailure> {
  const { analyzeCsvFile } = await import('./csv/analyze-csv-file.ts')
  return analyzeCsvFile(input)
}

export async function htmlToMarkdown(input: { readonly html: string; readonly url: string }): Promise<MarkdownPage> {
  const page = await import('./fetch/html-to-markdown.ts')
  return page.htmlToMarkdown(input)
}
