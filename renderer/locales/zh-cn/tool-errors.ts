import type { toolErrors as english } from '../en/tool-errors.ts'

export const toolErrors: typeof english = {
  SECRET_IN_MEMORY: {
    what: '文本含有密码、密钥或令牌。',
    means: '这些内容不会被记住。没有保存。',
    todo: '请去掉它。',
  },
  MEMORY_TEXT: {
    what: '这段文本不能被记住。',
    means: '它会成为模型读到的内容，其中不允许标题、代码围栏、提示标签和不可见字符。没有保存。',
    because: {
      empty: '里面没有文字。没有保存。',
      too_long: '它超过了 {longest} 个字符。没有保存。',
      control_characters: '里面有控制字符或不可见字符。没有保存。',
      heading: '其中一行是标题或分隔线（#、---），会被模型当作新的部分。没有保存。',
      code_fence: '里面有代码围栏（``` 或 ~~~），会吞掉后面的内容。没有保存。',
      prompt_tag: '里面有用于组织提示词的标签，或注释符号。没有保存。',
    },
    todo: '请写成普通的句子。',
  },
  MEMORY_FORM: {
    what: '这一行不符合所在小节的格式。',
    means: '没有写入。',
    todo: '请写成：{form}',
  },
  MEMORY_CHANGED: { what: '这条记忆在此期间被改动了。', means: '现在的内容是：{text}', todo: '再保存一次，就会用你的文字替换它。' },
  MEMORY_NOT_FOUND: {
    what: '这条记忆已不存在。',
    means: '没有更改。',
    todo: '请重新加载列表。',
  },
  MEMORY_ITEM_NOT_FOUND: {
    what: 'MEMORY.md 中没有这个条目。',
    means: '没有更改。',
    todo: '请重新加载页面：文件可能已被改动。',
  },
  MEMORY_ITEM_TWICE: {
    what: 'MEMORY.md 中这个条目出现多次。',
    means: '没有更改。',
    todo: '请手动删除多余的。',
  },
  MEMORY_READ_ONLY: {
    what: 'MEMORY.md 由更新版本的 Metona 创建，或不是 UTF-8 编码。',
    means: '只读取，没有更改。',
    todo: '请更新 Metona，或将文件保存为 UTF-8。',
  },
  MEMORY_FILE_UNSAFE: {
    what: 'MEMORY.md 是指向文件夹之外的链接，或不是普通文件。',
    means: '不会通过它写入。',
    todo: '请换成普通文件。',
  },
  MEMORY_FILE_BUSY: {
    what: 'MEMORY.md 一直在被其他程序写入。',
    means: '没有更改。',
    todo: '请稍后重试。',
  },
  MCP_NOT_FOUND: { what: '这个 MCP 服务器已不存在。', means: '没有任何改动。', todo: '请重新加载列表。' },
  MCP_BAD_SERVER: { what: '不能添加这个 MCP 服务器：{reason}。', means: '没有添加。', todo: '请修改后再试。' },
  MCP_BAD_IMPORT: {
    what: '文本里没有可以读取的 MCP 服务器：{reason}。',
    means: '没有添加。',
    todo: '请粘贴包含 "mcpServers" 对象的 JSON。',
  },
  MCP_UNKNOWN_TOOL: { what: '服务器没有已批准的工具 {tool}。', means: '没有任何改动。', todo: '请重新加载列表。' },
  MCP_CHANGED: { what: 'MCP 服务器“{name}”已不是刚才显示的样子。', means: '没有批准。', todo: '请重新查看后再决定。' },
  MCP_PROMPT_FAILED: {
    what: 'MCP 服务器“{name}”没有给出提示词：{reason}。',
    means: '没有发送任何内容；你输入的文字还在。',
    todo: '请检查参数，或在“MCP 服务器”中查看它。',
  },
  MCP_NOT_APPROVED: { what: 'MCP 服务器“{name}”尚未批准。', means: '没有启动。', todo: '请先查看它要启动什么，再批准。' },
}
