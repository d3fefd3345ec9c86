export const trust = {
  title: 'Trust “{name}”?',
  lead: 'Until you trust it, nothing in this folder is read, run or sent.',
  found: 'By name, these files would influence an agent',
  agentFile: 'instructions for the agent',
  databaseFile: 'may list MCP servers; none starts by itself',
  secretFile: 'may hold secrets; the model does not get to read it',
  otherFile: 'would be loaded',
  creates: 'If you trust it, Metona adds: {files}. Nothing that is there is written over.',
  yes: 'If you trust it',
  yesText:
    'Its instructions are loaded, sessions may read it, and change it or run commands as the permission mode allows. MCP servers are still asked about one by one.',
  no: 'If you do not',
  noText: 'You may look at its sessions. Nothing runs and no session can start.',
  unusual:
    'This is your home folder, a system root or a network folder: everything below it would be within reach. A smaller folder is safer.',
  accept: 'Trust and open',
  readOnly: 'Look only',
  other: 'Another folder',
}
