export const permission = {
  pick: 'Permission mode',
  plan: { name: 'Plan', help: 'Reads only. Changes and commands are refused.' },
  ask: { name: 'Ask', help: 'Asks before each change and command.' },
  auto_edit: { name: 'Edit freely', help: 'Edits files in the folder; asks before commands.' },
  full_access: { name: 'Full access', help: 'Never asks. Deny rules still hold.' },
}
