import type { Messages } from '../en/index.ts'

export const tool: Messages['tool'] = {
  arguments: '参数',
  output: '{tool} 的实时输出',
  result: '结果',
  progress: '{done} / {total} {unit}',
  progressOpen: '{done} {unit}',
  unknownTitle: '不确定它是否已经运行完。',
  unknownHint: '应用或后台中断时它正在运行，没有再次运行。',
  decidedAllow: '{by}允许，{at}',
  decidedDeny: '{by}拒绝，{at}',
  because: '理由：{reason}',
  cut: '另有 {value} 个字符',
  exitCode: '退出码 {value}',
  diff: '{path} 的改动',
  writing: '模型还在写这个调用。',
  by: {
    user: '由你',
    mode: '按权限模式',
    rule: '按规则',
    grant: '按先前的授权',
    timeout: '因超时无人答复而',
    non_interactive: '因无人可询问而',
  },
}
