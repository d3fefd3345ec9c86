/** By code: what happened / what it means / what to do. Always says whether something was changed. */
export const errors = {
  fallback: {
    what: 'Something went wrong ({code}).',
    means: '{message}',
    todo: 'Try again. If it happens again, the session log has the details.',
  },

  WORKER_LOST: {
    what: 'Part of the pipeline was restarted.',
    means: 'What was running in it was interrupted. Nothing that was saved is lost.',
    todo: 'Try again.',
  },
  CALL_TIMEOUT: {
    what: 'The app did not answer in time.',
    means: 'It may still be working on it.',
    todo: 'Wait a moment, then try again.',
  },
  CALL_CANCELLED: { what: 'This was cancelled.', means: 'Nothing was changed.', todo: 'Start it again when you want it.' },
  BAD_INPUT: {
    what: 'The app refused this input.',
    means: 'It is not in the form that is wanted there. Nothing was changed.',
    todo: 'Change the input and try again.',
  },
  BAD_OUTPUT: {
    what: 'Part of the app answered in a form this page does not know.',
    means: 'The page and the app are probably of different versions.',
    todo: 'Reload the page.',
  },
  NOT_CLONEABLE: {
    what: 'A value could not be passed inside the app.',
    means: 'Nothing was changed. This is a fault of the app.',
    todo: 'Report it with the session log.',
  },
  UNKNOWN_METHOD: {
    what: 'The app does not know this request.',
    means: 'The page and the app are probably of different versions. Nothing was changed.',
    todo: 'Reload the page.',
  },
  INTERNAL: {
    what: 'The app met a fault of its own.',
    means: '{message}',
    todo: 'Try again. If it happens again, report it with the session log.',
  },
  CONNECTION_LOST: {
    what: 'The connection to the app is gone.',
    means: 'What you asked for may not have arrived.',
    todo: 'It reconnects by itself. Then check and try again.',
  },

  UNTRUSTED: {
    what: 'This folder is not trusted yet.',
    means: 'Nothing in it was read, run or sent.',
    todo: 'Decide whether you trust it.',
  },
  NOT_A_FOLDER: { what: 'There is no folder at {path}.', means: 'Nothing was opened or created.', todo: 'Check the path and try again.' },
  NEEDS_STORED_TRUST: {
    what: 'This is a very wide place to work in.',
    means: 'A system root, your home folder or a network folder. Nothing was read.',
    todo: 'Choose a smaller folder, or trust this one on purpose.',
  },
  WORKSPACE_IN_USE: {
    what: 'This folder is open in another Metona ({holder}).',
    means: 'Only one may write to it at a time. Nothing was changed.',
    todo: 'Close it there, then try again.',
  },
  WORKSPACE_NOT_OPEN: { what: 'This folder is not open.', means: 'Nothing was changed.', todo: 'Open the folder, then try again.' },
  READ_ONLY: { what: 'This folder is open for reading only.', means: 'Nothing was changed.', todo: 'Trust the folder to work in it.' },
  UNKNOWN_SESSION: {
    what: 'This session is not there.',
    means: 'It was deleted, or its folder is not open.',
    todo: 'Open its folder, or choose another session.',
  },
  SESSION_BUSY: { what: 'This session is still running.', means: 'Nothing was changed.', todo: 'Stop it or wait until it is done.' },
  APPROVAL_GONE: {
    what: 'This was already answered.',
    means: 'It was answered elsewhere or the turn has ended. Your answer changed nothing.',
    todo: 'Nothing to do.',
  },
  APPROVAL_MISMATCH: {
    what: 'The request changed while you looked at it.',
    means: 'Your answer was not used. Nothing was run.',
    todo: 'Read it again and answer again.',
  },
  NOT_AVAILABLE: {
    what: 'This is not available here.',
    means: 'The window or browser you use cannot do it. Nothing was changed.',
    todo: 'Use the other way offered on this page.',
  },
  SEQ_CONFLICT: {
    what: 'Two records of this session contradict each other.',
    means: 'The newer one was not stored; the older one is untouched.',
    todo: 'Run metona doctor --verify on the folder.',
  },

  SESSION_NOT_FOUND: {
    what: 'This session is not there.',
    means: 'It was deleted, or its folder is not open.',
    todo: 'Open its folder, or choose another session.',
  },
  SESSION_NOT_OPEN: { what: 'This session is not open.', means: 'Nothing was changed.', todo: 'Choose it in the list again.' },
  MESSAGE_NOT_FOUND: { what: 'That message can no longer be edited.', means: 'Nothing was changed.', todo: 'Send a new message.' },
  NOTHING_TO_RETRY: { what: 'There is no message to run again.', means: 'Nothing was changed.', todo: 'Send a message.' },
  ATTACHMENT_REFUSED: {
    what: 'The file could not be kept in the folder.',
    means: 'The message was not sent; its text is kept.',
    todo: "Put the file into the folder yourself and name it with {'@'}.",
  },
  ATTACHMENT_TOO_LARGE: {
    what: '“{name}” is too large to take along.',
    means: 'It was not attached; nothing was sent.',
    todo: "Put it into the folder and name it with {'@'}.",
  },
  ATTACHMENT_UNREADABLE: {
    what: '“{name}” could not be read.',
    means: 'It was not attached; nothing was sent.',
    todo: 'Attach single files, not folders.',
  },
  CONTEXT_TOO_LARGE: {
    what: 'The conversation does not fit this model any more.',
    means: 'Nothing was sent.',
    todo: 'Choose a model with a larger window, or start a new session.',
  },
  NOTHING_TO_COMPACT: {
    what: 'There is nothing to summarise yet.',
    means: 'The conversation is short enough. Nothing was changed.',
    todo: 'Go on.',
  },
  COMPACTION_STOPPED: {
    what: 'Summarising no longer makes room.',
    means: 'The last attempts saved too little. Nothing was changed.',
    todo: 'Go on in a new session, or fork from an earlier message.',
  },
  TRY_AGAIN: { what: 'The conversation was just being read anew.', means: 'Nothing was changed.', todo: 'Try again.' },
  NO_MODEL: {
    what: 'No model was chosen.',
    means: 'None is set as default and no provider has a key. Nothing was sent.',
    todo: 'Choose a model, or demo/scripted, which needs no key.',
  },
  MISSING_MODEL: { what: 'The model of {provider} is missing.', means: 'Nothing was sent.', todo: 'Choose a model.' },
  UNKNOWN_PROVIDER: { what: 'There is no provider {provider}.', means: 'Nothing was sent.', todo: 'Choose another model.' },
  MISSING_KEY: {
    what: 'There is no key for {provider}.',
    means: 'Without one it refuses every request. Nothing was sent.',
    todo: 'Add a key in settings.',
  },
  NO_KEY: {
    what: 'There is no key for {provider}.',
    means: 'Without one it refuses every request. Nothing was sent.',
    todo: 'Add a key in settings.',
  },
  KEY_MALFORMED: {
    what: 'This cannot be a key.',
    means: 'It holds a space, a line break or another character no key has. It was not sent.',
    todo: 'Copy it again without them.',
  },
  WORKSPACE_READ_ONLY: {
    what: 'This folder can only be read.',
    means: 'Nothing was changed.',
    todo: 'Check its permissions, or whether a newer Metona has used it.',
  },
  NEWER_SCHEMA: {
    what: 'This folder was used by a newer Metona.',
    means: 'This one can only read it. Nothing was changed.',
    todo: 'Update Metona.',
  },
  NEWER_DATABASE: {
    what: 'This folder was used by a newer Metona.',
    means: 'This one can only read it. Nothing was changed.',
    todo: 'Update Metona.',
  },
  UNSAFE_WORKSPACE: {
    what: 'Something in this folder is a link or of the wrong kind.',
    means: 'It could lead out of the folder, so nothing is written through it. {message}',
    todo: 'Remove it, or use another folder.',
  },
  UNSAFE_FILE: {
    what: 'A file is a link or of the wrong kind.',
    means: 'It could lead out of the folder, so nothing is written through it. {message}',
    todo: 'Remove it, or use another folder.',
  },
  SQLITE_CORRUPT: {
    what: 'The database of this folder is damaged.',
    means: 'The logs are untouched; the database can be made anew from them.',
    todo: 'Run metona doctor --rebuild on the folder.',
  },
  STORAGE_FAILED: { what: 'Saving failed.', means: '{message}', todo: 'Check the disk. Work goes on as soon as saving is possible.' },
  STORAGE_BACKLOG: {
    what: 'Too much waits to be saved.',
    means: 'New work is held back so that nothing is lost.',
    todo: 'Check the disk, then try again.',
  },
  STORAGE_CLOSED: { what: 'The folder is being closed.', means: 'Nothing was changed.', todo: 'Open it again.' },
  ENOSPC: { what: 'The disk is full.', means: 'This was not saved.', todo: 'Make room, then try again.' },
  ENOENT: { what: 'A file or folder is not there.', means: 'Nothing was changed. {message}', todo: 'Check the path and try again.' },
  EACCES: { what: 'The system does not allow this.', means: 'Nothing was changed. {message}', todo: 'Check who owns the file or folder.' },
  WORKER_FAILED: {
    what: 'Part of the pipeline could not be started.',
    means: '{message}',
    todo: 'Restart the app. If it happens again, run metona doctor.',
  },
  HOST_STOPPING: { what: 'The app is ending.', means: 'Nothing new is started.', todo: 'Start it again.' },
  UNKNOWN_CONFIG_KEY: { what: 'There is no such setting.', means: 'Nothing was changed.', todo: 'Reload the page.' },
  BAD_CONFIG_VALUE: { what: 'This value does not fit the setting.', means: 'The old value stays.', todo: 'Enter another value.' },
  CONFIG_SCOPE: {
    what: 'This setting belongs to you, not to a folder.',
    means: 'Nothing was changed.',
    todo: 'Change it in your own settings.',
  },
  CONFIG_ONLY_TIGHTENS: {
    what: 'A folder may only be stricter than your own setting.',
    means: 'Nothing was changed.',
    todo: 'Change your own setting instead.',
  },
  BAD_BASE_URL: {
    what: 'This is no http or https address.',
    means: 'Nothing was changed.',
    todo: 'Write it like http://127.0.0.1:11434 or https://api.example.com/v1.',
  },
  FILE_CHANGED: {
    what: '{file} was changed by something else since you opened it.',
    means: 'Nothing was written. What you typed is still here.',
    todo: 'Look at the new version, then keep yours or take it over.',
  },
  NOT_EDITABLE: {
    what: '{file} cannot be edited here: {reason}.',
    means: 'Nothing was changed.',
    todo: 'Open it in another editor.',
  },
  MODELS_FILE_DAMAGED: {
    what: 'models.json in your profile is no valid JSON.',
    means: 'It was left as it is, and nothing was changed.',
    todo: 'Correct it in an editor: {path}',
  },
  SECRET_IN_CONFIG: {
    what: 'The value holds a key or token.',
    means: 'Settings are no place for it. Nothing was stored.',
    todo: 'Add it as a key of its provider.',
  },
  SECRET_IN_MEMORY: {
    what: 'The text holds a password, key or token.',
    means: 'Those are never remembered. Nothing was stored.',
    todo: 'Leave it out.',
  },
  MEMORY_TEXT: {
    what: 'This text cannot be remembered.',
    means: 'It would become part of what the model reads. Nothing was stored.',
    because: {
      empty: 'There is no text in it. Nothing was stored.',
      too_long: 'It is longer than {longest} characters. Nothing was stored.',
      control_characters: 'It holds control characters or invisible marks. Nothing was stored.',
      heading: 'A line of it is a heading or a rule (#, ---), which would begin a new part of what the model reads. Nothing was stored.',
      code_fence: 'It holds a code fence (``` or ~~~), which would swallow what follows it. Nothing was stored.',
      prompt_tag: 'It holds a tag that structures prompts, or a comment mark. Nothing was stored.',
    },
    todo: 'Write it as plain sentences.',
  },
  MEMORY_FORM: {
    what: 'The line does not have the form of its section.',
    means: 'Nothing was written.',
    todo: 'Write it as: {form}',
  },
  MEMORY_NOT_FOUND: {
    what: 'This memory is not there any more.',
    means: 'Nothing was changed.',
    todo: 'Reload the list.',
  },
  MEMORY_ITEM_NOT_FOUND: {
    what: 'MEMORY.md has no such item.',
    means: 'Nothing was changed.',
    todo: 'Reload the page: the file may have been changed meanwhile.',
  },
  MEMORY_ITEM_TWICE: {
    what: 'MEMORY.md has this item more than once.',
    means: 'Nothing was changed.',
    todo: 'Remove one of them by hand.',
  },
  MEMORY_READ_ONLY: {
    what: 'MEMORY.md was made by a newer Metona, or is not UTF-8.',
    means: 'It is only read. Nothing was changed.',
    todo: 'Update Metona, or save the file as UTF-8.',
  },
  MEMORY_FILE_UNSAFE: {
    what: 'MEMORY.md is a link out of the folder, or no regular file.',
    means: 'Nothing is written through it.',
    todo: 'Put a regular file in its place.',
  },
  MEMORY_FILE_BUSY: {
    what: 'MEMORY.md is being written by another program all the time.',
    means: 'Nothing was changed.',
    todo: 'Try again in a moment.',
  },
  NAME_TAKEN: {
    what: 'There is already an MCP server named “{name}” in this folder.',
    means: 'Nothing was added.',
    todo: 'Choose another name, or remove that one first.',
  },
  MCP_NOT_FOUND: { what: 'This MCP server is not there any more.', means: 'Nothing was changed.', todo: 'Reload the list.' },
  MCP_BAD_SERVER: {
    what: 'This MCP server cannot be added: {reason}.',
    means: 'Nothing was added.',
    todo: 'Correct the entry.',
  },
  MCP_BAD_IMPORT: {
    what: 'The text holds no MCP servers that can be read: {reason}.',
    means: 'Nothing was added.',
    todo: 'Paste JSON with an "mcpServers" object.',
  },
  MCP_UNKNOWN_TOOL: { what: 'The server has no approved tool {tool}.', means: 'Nothing was changed.', todo: 'Reload the list.' },
  MCP_CHANGED: {
    what: 'The MCP server “{name}” is not what was shown any more.',
    means: 'Nothing was approved.',
    todo: 'Look at it again, then decide.',
  },
  MCP_PROMPT_FAILED: {
    what: 'The MCP server “{name}” did not give its prompt: {reason}.',
    means: 'Nothing was sent; what you typed is still there.',
    todo: 'Check the arguments, or look at the server under MCP servers.',
  },
  MCP_NOT_APPROVED: {
    what: 'The MCP server “{name}” is not approved.',
    means: 'It was not started.',
    todo: 'Look at what it starts and approve it first.',
  },

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

/** What a provider check found, by its code. */
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
