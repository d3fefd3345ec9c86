import { providerErrors } from './provider-errors.ts'
import { toolErrors } from './tool-errors.ts'

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
  NAME_TAKEN: {
    what: 'There is already an MCP server named “{name}” in this folder.',
    means: 'Nothing was added.',
    todo: 'Choose another name, or remove that one first.',
  },

  ...toolErrors,
  ...providerErrors,
}
