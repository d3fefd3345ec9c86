/** Of providers and of a turn's limits, as in errors.ts; and what comes of asking whether a provider works. */
export const providerErrors = {
  network_timeout: {
    what: '{provider} did not answer in time.',
    means: 'The text so far is kept. No further tools were run.',
    todo: 'Check the network, then retry.',
  },
  network_error: {
    what: 'The connection to {provider} failed.',
    means: 'The text so far is kept. No further tools were run.',
    todo: 'Check the network or the address in settings, then retry.',
  },
  auth_invalid: { what: '{provider} refused the key.', means: 'Nothing was changed.', todo: 'Paste a new key in settings, then retry.' },
  auth_expired: {
    what: 'The key for {provider} has expired.',
    means: 'Nothing was changed.',
    todo: 'Paste a new key in settings, then retry.',
  },
  rate_limited: {
    what: '{provider} is being asked too often.',
    means: 'The limit of your account was reached. Nothing was changed.',
    todo: 'Retry in a while, or use another model.',
  },
  quota_exceeded: {
    what: 'The credit at {provider} is used up.',
    means: 'No answer came. Nothing was changed.',
    todo: 'Top up the account, or use another model.',
  },
  model_overloaded: {
    what: '{provider} is overloaded.',
    means: 'No answer came. Nothing was changed.',
    todo: 'Retry in a while, or use another model.',
  },
  model_not_found: {
    what: '{provider} does not have this model.',
    means: 'Nothing was sent to another model.',
    todo: 'Choose another model.',
  },
  context_length_exceeded: {
    what: 'The conversation is longer than this model can read.',
    means: 'The request was refused. The conversation is untouched.',
    todo: 'Choose a model with a larger window, or start a new session.',
  },
  output_length_exceeded: {
    what: 'The answer was cut off at the length limit.',
    means: 'The text so far is kept.',
    todo: 'Ask it to go on, or raise the limit in settings.',
  },
  content_filtered: {
    what: '{provider} stopped the answer with its content filter.',
    means: 'The text so far is kept.',
    todo: 'Word the request differently, or use another model.',
  },
  parse_error: {
    what: 'The answer of {provider} could not be read.',
    means: 'The text so far is kept. No further tools were run.',
    todo: 'Retry. If it happens again, check the address in settings.',
  },
  invalid_response: {
    what: '{provider} sent something that is no answer.',
    means: 'The text so far is kept. No further tools were run.',
    todo: 'Check the address in settings, then retry.',
  },
  REPEATED_CALL: {
    what: 'The model asked for the very same call again and again.',
    means: 'What was done so far is kept.',
    todo: 'Send a message that says what it should do instead.',
  },
  TURN_TOKENS: {
    what: 'The token budget of one turn is used up.',
    means: 'What was done so far is kept.',
    todo: 'Send a message to go on, or raise the budget in settings.',
  },
  TURN_MONEY: {
    what: 'The money budget of one turn is used up.',
    means: 'What was done so far is kept.',
    todo: 'Send a message to go on, or raise the budget in settings.',
  },
  SESSION_TOKENS: {
    what: 'The token budget of this session is used up.',
    means: 'What was done so far is kept.',
    todo: 'Raise the budget in settings, or start another session.',
  },
  SESSION_MONEY: {
    what: 'The money budget of this session is used up.',
    means: 'What was done so far is kept.',
    todo: 'Raise the budget in settings, or start another session.',
  },
  max_iterations: {
    what: 'The limit of model requests for one turn was reached.',
    means: 'What was done so far is kept.',
    todo: 'Send a message to go on, or raise the limit in settings.',
  },
  user_aborted: { what: 'You stopped it.', means: 'What was done so far is kept.', todo: 'Resume, or send another message.' },
  timeout: {
    what: 'The time limit for one turn was reached.',
    means: 'What was done so far is kept.',
    todo: 'Send a message to go on, or raise the limit in settings.',
  },
  unknown: {
    what: 'The turn ended with an error that has no name.',
    means: '{message}',
    todo: 'Retry. If it happens again, use another model.',
  },
}

export const diagnosis = {
  ok: { what: 'Healthy', means: '{provider} answered.', todo: '' },
  no_key: { what: 'No key yet', means: 'Without a key {provider} cannot be asked.', todo: 'Add a key.' },
  key_malformed: {
    what: 'No key',
    means: 'This cannot be a key: it holds a space, a line break or another character no key has. It was not sent.',
    todo: 'Copy it again without them.',
  },
  key_refused: { what: 'Key refused', means: '{provider} does not accept this key. Nothing was changed.', todo: 'Paste a new key.' },
  no_balance: { what: 'No credit left', means: 'The key is good, the account is empty.', todo: 'Top up the account.' },
  not_running: { what: 'Not running', means: 'Nothing listens at the address of {provider}.', todo: 'Start it, then check again.' },
  model_missing: {
    what: 'Model missing',
    means: '{provider} answers but does not have this model.',
    todo: 'Choose another model or download it.',
  },
  no_tools: {
    what: 'No tools',
    means: 'The model answers but cannot call tools, so it can only talk.',
    todo: 'Choose a model that calls tools.',
  },
  wrong_base_url: {
    what: 'Wrong address',
    means: 'Something answers there, but not with this kind of service.',
    todo: 'Correct the address.',
  },
  rate_limited: {
    what: 'Too many requests',
    means: 'The key is good, the limit of the account was reached.',
    todo: 'Check again in a while.',
  },
  overloaded: { what: 'Overloaded', means: '{provider} is there but busy.', todo: 'Check again in a while.' },
  unreachable: {
    what: 'Unreachable',
    means: '{provider} could not be reached from this machine.',
    todo: 'Check the network, the proxy and the address.',
  },
  unknown: { what: 'Check failed', means: '{message}', todo: 'Check again.' },
}
