import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createThinkTags } from '#workers/llm/domain/think-tags.ts'

function split(pieces: readonly string[], opened = false): { reasoning: string; text: string } {
  const result = { reasoning: '', text: '' }
  const tags = createThinkTags({ reasoning: (delta) => (result.reasoning += delta), text: (delta) => (result.text += delta) }, { opened })
  for (const piece of pieces) tags.push(piece)
  tags.end()
  return result
}

describe('think tags', () => {
  test.each<[string, string[], boolean, string, string]>([
    ['cut inside both tags', ['<thi', 'nk>secret</thi', 'nk>answer'], false, 'secret', 'answer'],
    ['opened by the template', ['secret\n</think>answer'], true, 'secret', 'answer'],
    ['white space around', ['\n<think>\nsecret \n', '\n</think>\n\n', 'answer \n'], false, 'secret', 'answer \n'],
    ['a literal tag after visible text', ['use `<think>', '` here</think>'], false, '', 'use `<think>` here</think>'],
    ['no tag at all', ['  answer'], false, '', '  answer'],
    ['a half opening tag at the end', ['<thin'], false, '', '<thin'],
    ['a half closing tag at the end', ['<think>secret</thi'], false, 'secret</thi', ''],
    ['an empty thought', ['<think>\n\n</think>\n\nanswer'], false, '', 'answer'],
    ['two thoughts before the answer', ['<think>a</think>\n<think>b</think>c'], false, 'ab', 'c'],
    ['an angle bracket in a thought', ['<think>a < b', ' and </ b</think>c'], false, 'a < b and </ b', 'c'],
  ])('%s', (_name, pieces, opened, reasoning, text) => {
    expect(split(pieces, opened)).toEqual({ reasoning, text })
  })

  test('however the answer is cut, the parts are the same', () => {
    const whole = '\n<think>\nfirst < second\n\n </thin k </think>\n\nthe answer with <think>tag</think>\n'
    const expected = split([whole])
    expect(expected).toEqual({ reasoning: 'first < second\n\n </thin k', text: 'the answer with <think>tag</think>\n' })
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 12 }), (cuts) => {
        const points = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
        expect(split(points.slice(1).map((point, index) => whole.slice(points[index], point)))).toEqual(expected)
      }),
      { seed: 5 },
    )
  })
})
