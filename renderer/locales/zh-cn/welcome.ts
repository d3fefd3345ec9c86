import type { Messages } from '../en/index.ts'

export const welcome: Messages['welcome'] = {
  crumb: '首次使用',
  title: '欢迎使用 Metona',
  intro: '多个智能体在你的电脑上同时工作。记录和密钥留在本机；模型需要看到的内容会发送给你选择的服务商。',
  stepDemo: '看一遍演示',
  stepDemoHint: '不需要密钥，也不联网',
  stepKey: '添加模型密钥',
  stepKeyHint: '或连接本机的 Ollama',
  stepFolder: '打开一个文件夹',
  stepFolderHint: '作为工作区，先确认是否信任',
  skip: '跳过，稍后再设置',
  demoTitle: '演示模型',
  demoText: '回答由脚本写好，但工具是真的：它会读取一个示例文件夹，并处理其中的文件。',
  demoRun: '运行演示',
  demoRunning: '正在准备示例文件夹',
  demoPrompt: '读取 data.csv 并分析内容',
  keyTitle: '添加模型密钥',
  folderTitle: '打开一个文件夹',
  folderText: '读取其中的内容之前，会先问你是否信任它。',
  hasKey: '已有密钥',
}
