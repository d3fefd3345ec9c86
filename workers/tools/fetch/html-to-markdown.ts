/** Runs in a pool thread: the readable part of a page as Markdown. */
import { NodeHtmlMarkdown } from 'node-html-markdown'
import { parse, type HTMLElement } from 'node-html-parser'

export interface MarkdownPage {
  readonly title: string
  readonly markdown: string
}

const NOISE = 'script,style,noscript,template,svg,canvas,iframe,object,embed,form,button,input,select,dialog,link,meta'
const FRAME = 'nav,header,footer,aside,[role=navigation],[role=banner],[role=contentinfo],[role=complementary],[aria-hidden=true],[hidden]'
/** `main` or `article` counts as the page when it holds at least this share of its text. */
const MAIN_SHARE = 0.3

export function htmlToMarkdown(input: { readonly html: string; readonly url: string }): MarkdownPage {
  const root = parse(input.html, { comment: false, blockTextElements: { script: false, style: false, noscript: false, pre: true } })
  const title = (root.querySelector('title')?.text ?? root.querySelector('h1')?.text ?? '').replace(/\s+/g, ' ').trim()
  const body = root.querySelector('body') ?? root
  for (const element of body.querySelectorAll(NOISE)) element.remove()
  const part = readablePart(body)
  absoluteLinks(part, input.url)
  const markdown = NodeHtmlMarkdown.translate(part.outerHTML, { keepDataImages: false, maxConsecutiveNewlines: 2 })
  return {
    title,
    markdown: markdown
      .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  }
}

function readablePart(body: HTMLElement): HTMLElement {
  const whole = textLength(body)
  const candidates = [...body.querySelectorAll('main,[role=main]'), ...body.querySelectorAll('article')]
  const best = candidates.sort((left, right) => textLength(right) - textLength(left))[0]
  if (best !== undefined && textLength(best) >= whole * MAIN_SHARE) return best
  for (const element of body.querySelectorAll(FRAME)) element.remove()
  return body
}

function textLength(element: HTMLElement): number {
  return element.text.replace(/\s+/g, ' ').length
}

/** Relative addresses mean nothing away from the page; addresses that are no web pages are dropped. */
function absoluteLinks(part: HTMLElement, base: string): void {
  for (const link of part.querySelectorAll('a')) {
    const url = URL.parse(link.getAttribute('href') ?? '', base)
    if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) link.setAttribute('href', url.href)
    else link.removeAttribute('href')
  }
}
