/** ask_user: a question to the person. The session asks it in place of an approval and passes the answer to `run`. */
import * as z from 'zod'
import { asksForSecret } from '../domain/asks-for-secret.ts'
import { ToolError } from '../domain/tool-error.ts'
import { defineTool } from '../define-tool.ts'

export const askUserTool = defineTool({
  name: 'ask_user',
  description:
    'Asks the user one question and waits for the answer. Use it only when the work cannot go on without a decision of theirs; otherwise choose the sensible way and say so. Offer options where there are few. Never ask for passwords, keys or other secrets.',
  input: z.strictObject({
    question: z.string().min(1).max(4000).describe('The question'),
    options: z.array(z.string().min(1).max(200)).max(8).optional().describe('Answers to choose from; the user may also write another'),
  }),
  risk: 'session',
  parallel: false,
  prepare: (input) => {
    if (asksForSecret(input.question))
      throw new ToolError(
        'ASKS_FOR_SECRET',
        'Passwords, keys and other secrets must not be asked for here: answers go to the model and into the log. Ask the user to set it up themselves, for example as an environment variable.',
      )
    return {
      display: [input.question, ...(input.options ?? []).map((option, index) => `${index + 1}. ${option}`)].join('\n'),
      question: { text: input.question, ...(input.options === undefined ? {} : { options: input.options }) },
    }
  },
  run: async (_input, context) => {
    if (context.answer === undefined)
      return {
        outcome: 'denied',
        error: 'Nobody answered.',
        result: 'Nobody is there to answer, or no answer came in time. Go on with the most sensible assumption and state it, or end here.',
      }
    return { result: context.answer }
  },
})
