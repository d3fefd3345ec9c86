import { describe, expect, test } from 'vitest'
import { htmlExcerpt, looksLikeHtml, mapFailure, readErrorText } from '#workers/llm/domain/map-error.ts'

const map = (status: number | undefined, body: unknown, headers: Record<string, string> = {}) => {
  const { code, retryable } = mapFailure({ provider: 'p', model: 'some-model', status, body, headers })
  return [code, retryable]
}

/** Texts as the vendors print them. */
describe('the body decides before the status', () => {
  test.each([
    [
      400,
      {
        error: {
          message: "This model's maximum context length is 1048565 tokens. However, you requested 2000000",
          code: 'invalid_request_error',
        },
      },
      'context_length_exceeded',
      false,
    ],
    [
      400,
      { error: { code: 400, message: 'the request exceeds the available context size', type: 'exceed_context_size_error' } },
      'context_length_exceeded',
      false,
    ],
    [400, { error: 'prompt too long; exceeded max context length by 4 tokens' }, 'context_length_exceeded', false],
    [
      413,
      { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
      'context_length_exceeded',
      false,
    ],
    [
      429,
      { error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' } },
      'quota_exceeded',
      false,
    ],
    [
      429,
      { error: { type: 'rate_limit_error', message: 'limit', details: { error_code: 'enforced_spend_limit_reached' } } },
      'quota_exceeded',
      false,
    ],
    [
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API' } },
      'quota_exceeded',
      false,
    ],
    [402, { error: { message: 'Insufficient Balance' } }, 'quota_exceeded', false],
    [500, { error: { code: '', message: 'rate_limit_check_failed (request id: 1)', type: 'AgnesAI_error' } }, 'rate_limited', true],
    [503, { error: { message: 'system memory overloaded' } }, 'model_overloaded', true],
    [200, { error: { type: 'overloaded_error', message: 'Overloaded' } }, 'model_overloaded', true],
    [529, { error: { type: 'overloaded_error', message: 'Overloaded' } }, 'model_overloaded', true],
    [503, { error: { code: 'slow_down', message: 'x' } }, 'model_overloaded', true],
    [400, { error: { message: 'Model Not Exist', code: 'invalid_request_error' } }, 'model_not_found', false],
    [404, { error: { code: 'model_not_found', message: 'x' } }, 'model_not_found', false],
    [404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-x' } }, 'model_not_found', false],
    [
      503,
      { error: { message: 'No available channel for model agnes-9 under group default', type: 'AgnesAI_error' } },
      'model_not_found',
      false,
    ],
    [
      500,
      { error: { message: '***.NotFoundError: The model `x` does not exist', type: 'upstream_error', code: '404' } },
      'model_not_found',
      false,
    ],
    [404, { error: "model 'llama9' not found" }, 'model_not_found', false],
    [400, { error: { code: 'content_policy_violation', message: 'x' } }, 'content_filtered', false],
    [401, { error: { message: 'Your API key has expired' } }, 'auth_expired', false],
    [401, { error: { code: 'invalid_api_key', message: 'Incorrect API key provided: sk-***' } }, 'auth_invalid', false],
  ] as const)('%i %j → %s', (status, body, code, retryable) => {
    expect(map(status, body)).toEqual([code, retryable])
  })
})

describe('the status alone', () => {
  test.each([
    [400, 'unknown', false],
    [401, 'auth_invalid', false],
    [402, 'quota_exceeded', false],
    [403, 'auth_invalid', false],
    [404, 'unknown', false],
    [405, 'unknown', false],
    [408, 'network_timeout', true],
    [409, 'unknown', true],
    [413, 'context_length_exceeded', false],
    [422, 'unknown', false],
    [429, 'rate_limited', true],
    [431, 'unknown', false],
    [499, 'network_error', false],
    [500, 'unknown', true],
    [502, 'network_error', true],
    [503, 'model_overloaded', true],
    [504, 'network_timeout', true],
    [520, 'network_error', true],
    [522, 'network_timeout', true],
    [524, 'network_timeout', true],
    [529, 'model_overloaded', true],
  ] as const)('%i → %s', (status, code, retryable) => {
    expect(map(status, 'x')).toEqual([code, retryable])
  })

  test('404 that names the model', () => {
    expect(map(404, { error: { message: 'some-model is unknown here' } })).toEqual(['model_not_found', false])
  })

  test('a code of digits inside a stream stands for the status', () => {
    expect(map(undefined, { error: { code: '429', message: 'slow' } })).toEqual(['rate_limited', true])
  })

  test('x-should-retry has the last word', () => {
    expect([map(500, 'x', { 'x-should-retry': 'false' }), map(400, 'x', { 'x-should-retry': 'true' })]).toEqual([
      ['unknown', false],
      ['unknown', true],
    ])
  })
})

test('the vendor’s own sentence is kept, with provider and code', () => {
  expect(
    mapFailure({
      provider: 'deepseek',
      model: '',
      status: 422,
      body: { error: { message: 'Invalid Parameters: temperature', code: 'bad_param' } },
    }),
  ).toEqual({
    code: 'unknown',
    message: 'Invalid Parameters: temperature',
    provider: 'deepseek',
    providerCode: 'bad_param',
    retryable: false,
  })
})

test('without a text there is a sentence for the status', () => {
  expect(mapFailure({ provider: 'p', model: '', status: 402, body: '' }).message).toBe('the account has no balance left (402)')
})

test.each([
  [{ error: { message: 'm', type: 't', code: 7 } }, { message: 'm', type: 't', code: '7', detailCode: '' }],
  [{ error: 'flat' }, { message: 'flat', type: '', code: '', detailCode: '' }],
  [
    { object: 'error', message: 'vllm', type: 'BadRequest' },
    { message: 'vllm', type: 'BadRequest', code: '', detailCode: '' },
  ],
  [{ detail: 'fastapi' }, { message: 'fastapi', type: '', code: '', detailCode: '' }],
  ['text', { message: 'text', type: '', code: '', detailCode: '' }],
  [null, { message: '', type: '', code: '', detailCode: '' }],
])('an error text is found in %j', (body, expected) => {
  expect(readErrorText(body)).toEqual(expected)
})

test('a very long text is cut, a web page shown without its tags', () => {
  const long = mapFailure({ provider: 'p', model: '', status: 400, body: { error: { message: '字'.repeat(9_000) } } }).message
  expect([
    [...long].length,
    looksLikeHtml('\n <!DOCTYPE html>'),
    htmlExcerpt('<html><style>p{}</style><p>Hi &amp; bye</p><script>x()</script>'),
  ]).toEqual([2_001, true, 'Hi &amp; bye'])
})
