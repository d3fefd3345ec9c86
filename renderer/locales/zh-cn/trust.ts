import type { Messages } from '../en/index.ts'

export const trust: Messages['trust'] = {
  title: '信任“{name}”吗？',
  lead: '信任之前，其中的任何内容都不会被读取、运行或发送。',
  found: '按文件名看，这些内容会影响智能体',
  agentFile: '给智能体的指令',
  databaseFile: '可能登记了 MCP 服务器，不会自动启动',
  secretFile: '可能含密钥，不让模型读取',
  otherFile: '会被加载',
  creates: '信任后 Metona 会新增：{files}。已有的内容不会被覆盖。',
  yes: '信任后',
  yesText: '加载其中的指令；会话可以读取，并按权限模式修改文件或运行命令。每个 MCP 服务器仍会单独询问。',
  no: '不信任',
  noText: '可以查看其中的会话，不会运行任何东西，也不能开始会话。',
  unusual: '这是主目录、系统根目录或网络文件夹，其下的一切都会触手可及。选一个更小的文件夹更安全。',
  accept: '信任并打开',
  readOnly: '只读浏览',
  other: '换一个文件夹',
}
