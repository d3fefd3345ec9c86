/** One block. Re-rendered only when it is given another block. */
import { defineComponent, h, type PropType } from 'vue'
import { renderTokens, type RenderHooks } from './render-tokens.ts'
import type { MarkdownBlock } from './streaming-markdown.ts'

export default defineComponent({
  name: 'MarkdownBlock',
  props: {
    block: { type: Object as PropType<MarkdownBlock>, required: true },
    hooks: { type: Object as PropType<RenderHooks>, required: true },
  },
  setup(props) {
    return () => h('div', { class: 'md-block' }, renderTokens(props.block.tokens, props.hooks))
  },
})
