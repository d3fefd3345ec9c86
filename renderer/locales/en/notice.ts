export const notice = {
  compaction: 'Older messages were summarised for the model. They stay readable here.',
  LOG_REPAIRED: 'The log of this session was repaired.',
  refusal: 'The model refused to answer.',
  model_rerouted: '{asked} was asked for, {served} answered.',
  images_left_out: '{model} cannot see images; they were left out.',
  parameter_ignored: 'The provider does not know the setting “{parameter}”; it was left out.',
  context_nearly_full: 'The conversation is nearly as long as the model can hold; older messages may be left out by it.',
  no_tools: '{model} cannot use tools; it answers without them.',
  tool_call_cut: 'A tool call was cut off and not run.',
  empty_answer: 'The model answered with nothing.',
  fallback: '{message}',
}
