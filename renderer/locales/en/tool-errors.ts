/** Of memory and MCP servers; as in errors.ts. */
export const toolErrors = {
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
  MEMORY_CHANGED: {
    what: 'This memory was changed meanwhile.',
    means: 'It says now: {text}',
    todo: 'Save once more to put your text in its place.',
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
}
