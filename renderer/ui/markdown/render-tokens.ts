/** Parsed Markdown → Vue nodes from a closed list of elements. No HTML string exists on the way, so none can be injected. */
import { externalUrl } from '#renderer/stores/native.ts'
import { h, type VNode, type VNodeArrayChildren } from 'vue'
import CodeBlock from './code-block.vue'
import type { MarkdownToken } from './streaming-markdown.ts'

export interface RenderHooks {
  openLink(address: string): void
  imageText(alternative: string): string
}

/** Headings of an answer stand below the headings of the page. */
const TAGS: Readonly<Record<string, string>> = {
  paragraph_open: 'p',
  blockquote_open: 'blockquote',
  bullet_list_open: 'ul',
  ordered_list_open: 'ol',
  list_item_open: 'li',
  table_open: 'table',
  thead_open: 'thead',
  tbody_open: 'tbody',
  tr_open: 'tr',
  th_open: 'th',
  td_open: 'td',
  em_open: 'em',
  strong_open: 'strong',
  s_open: 's',
}

const textOf = (attribute: string | number | null): string => String(attribute ?? '')

export function renderTokens(tokens: readonly MarkdownToken[], hooks: RenderHooks): VNodeArrayChildren {
  const cursor = { index: 0 }
  return renderUntilClose(tokens, cursor, hooks)
}

function renderUntilClose(tokens: readonly MarkdownToken[], cursor: { index: number }, hooks: RenderHooks): VNodeArrayChildren {
  const nodes: VNodeArrayChildren = []
  while (cursor.index < tokens.length) {
    const token = tokens[cursor.index]
    cursor.index += 1
    if (token === undefined || token.nesting === -1) break
    if (token.nesting === 1) {
      const children = renderUntilClose(tokens, cursor, hooks)
      nodes.push(...renderElement(token, children, hooks))
    } else nodes.push(...renderLeaf(token, hooks))
  }
  return nodes
}

function renderElement(token: MarkdownToken, children: VNodeArrayChildren, hooks: RenderHooks): VNodeArrayChildren {
  // The paragraph of a tight list item is no element of its own.
  if (token.hidden) return children
  if (token.type === 'heading_open') return [h(headingTag(token.tag), { class: `md-heading md-${token.tag}` }, children)]
  if (token.type === 'link_open') return [renderLink(token, children, hooks)]
  const tag = TAGS[token.type]
  if (tag === undefined) return children
  if (tag === 'table') return [h('div', { class: 'md-table scroll-region', tabindex: 0, role: 'group' }, [h('table', children)])]
  return [h(tag, attributesOf(tag, token), children)]
}

function attributesOf(tag: string, token: MarkdownToken): Record<string, unknown> | null {
  if (tag === 'ol') {
    const start = Number(token.attrGet('start') ?? 1)
    return Number.isInteger(start) && start !== 1 ? { start } : null
  }
  if (tag !== 'th' && tag !== 'td') return null
  const alignment = /^text-align:(left|center|right)$/.exec(textOf(token.attrGet('style')))?.[1]
  return alignment === undefined ? null : { class: `md-align-${alignment}` }
}

const headingTag = (tag: string): string => ({ h1: 'h3', h2: 'h4', h3: 'h5' })[tag] ?? 'h6'

function renderLink(token: MarkdownToken, children: VNodeArrayChildren, hooks: RenderHooks): VNode {
  const address = textOf(token.attrGet('href'))
  const url = externalUrl(address)
  // Relative paths, http, javascript, file …: shown, with where they would lead, but nothing to press.
  if (url === undefined) return h('span', { class: 'md-no-link', title: address }, children)
  return h(
    'a',
    {
      href: url.href,
      title: url.href,
      rel: 'noopener noreferrer nofollow',
      target: '_blank',
      onClick: (event: MouseEvent) => followLink(event, url.href, hooks),
    },
    children,
  )
}

function followLink(event: MouseEvent, address: string, hooks: RenderHooks): void {
  event.preventDefault()
  hooks.openLink(address)
}

function renderLeaf(token: MarkdownToken, hooks: RenderHooks): VNodeArrayChildren {
  switch (token.type) {
    case 'inline':
      return renderTokens(token.children ?? [], hooks)
    case 'text':
      return [token.content]
    case 'code_inline':
      return [h('code', token.content)]
    case 'softbreak':
    case 'hardbreak':
      return [h('br')]
    case 'hr':
      return [h('hr')]
    case 'fence':
    case 'code_block':
      return [h(CodeBlock, { code: token.content.replace(/\n$/, ''), language: token.info.trim().split(/\s+/)[0] ?? '' })]
    case 'image':
      return [h('span', { class: 'md-image' }, hooks.imageText(token.content || textOf(token.attrGet('src'))))]
    default:
      // Raw HTML and whatever a later parser adds: shown as the text it is.
      return token.content === '' ? [] : [token.content]
  }
}
