/** Colours code away from the page. Grammars are loaded one by one, when the first block in that language comes. */
import { createHighlighterCore, type HighlighterCore, type LanguageInput, type ThemeRegistration } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { CODE_LOOKS, type CodeLine, type CodeLook, type HighlightAnswer, type HighlightRequest } from './highlight-protocol.ts'

const GRAMMARS: Readonly<Record<string, () => LanguageInput>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  scss: () => import('shiki/langs/scss.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  vue: () => import('shiki/langs/vue.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
}
const OTHER_NAMES: Readonly<Record<string, string>> = {
  cjs: 'javascript',
  'c++': 'cpp',
  cs: 'csharp',
  dockerfile: 'docker',
  golang: 'go',
  htm: 'html',
  js: 'javascript',
  jsonc: 'json',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'javascript',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
}

/** Colours that stand for looks; the real ones are tokens of the style sheet. */
const colour = (look: CodeLook): string => `#00000${CODE_LOOKS.indexOf(look)}`
const THEME: ThemeRegistration = {
  name: 'looks',
  type: 'light',
  colors: { 'editor.foreground': colour('plain'), 'editor.background': '#FFFFFF' },
  settings: [
    { settings: { foreground: colour('plain') } },
    { scope: ['comment', 'punctuation.definition.comment'], settings: { foreground: colour('comment') } },
    {
      scope: ['keyword', 'storage', 'variable.language', 'entity.name.tag', 'markup.heading', 'punctuation.definition.heading'],
      settings: { foreground: colour('keyword') },
    },
    {
      scope: ['string', 'punctuation.definition.string', 'markup.inserted', 'markup.inline.raw'],
      settings: { foreground: colour('string') },
    },
    { scope: ['constant', 'support.constant', 'markup.deleted'], settings: { foreground: colour('number') } },
    {
      scope: [
        'entity.name.function',
        'support.function',
        'entity.name.type',
        'entity.name.class',
        'entity.other.attribute-name',
        'support.type.property-name',
      ],
      settings: { foreground: colour('function') },
    },
    { scope: ['keyword.operator', 'punctuation'], settings: { foreground: colour('plain') } },
  ],
}

let started: Promise<HighlighterCore> | undefined
const start = (): Promise<HighlighterCore> =>
  (started ??= createHighlighterCore({ themes: [THEME], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) }))

async function colourCode({ code, language }: HighlightRequest): Promise<readonly CodeLine[] | undefined> {
  const asked = language.toLowerCase()
  const name = OTHER_NAMES[asked] ?? asked
  const grammar = Object.hasOwn(GRAMMARS, name) ? GRAMMARS[name] : undefined
  if (grammar === undefined) return undefined
  const highlighter = await start()
  if (!highlighter.getLoadedLanguages().includes(name)) await highlighter.loadLanguage(grammar())
  return highlighter
    .codeToTokensBase(code, { lang: name, theme: THEME.name ?? '', tokenizeMaxLineLength: 2000, tokenizeTimeLimit: 0 })
    .map((line) => line.map((token) => ({ text: token.content, look: CODE_LOOKS[Number(token.color?.slice(-1) ?? 0)] ?? 'plain' })))
}

self.addEventListener('message', async (event: MessageEvent<HighlightRequest>) => {
  const { id } = event.data
  let answer: HighlightAnswer = { id }
  try {
    const lines = await colourCode(event.data)
    if (lines !== undefined) answer = { id, lines }
  } catch (error) {
    // Plain text is always good enough; the reason is for whoever looks.
    console.error('code was left without colours:', error)
  }
  self.postMessage(answer)
})
