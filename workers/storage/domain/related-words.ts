/**
 * Words of developers that are asked for by one name and remembered under another, in both languages. Each line is one
 * group; a group helps a question find an item, it never makes one out of nothing: its words count for less than the asked one.
 */
import { memoryTerms, isCjk } from './memory-terms.ts'

const GROUPS = `
deploy deployment release ship rollout 部署 发布 上线
database db sqlite postgres mysql 数据库
test tests testing spec 测试 单测
bug defect issue problem 缺陷 故障 问题 毛病
error exception failure crash 错误 报错 异常 崩溃 失败
password credential secret login 密码 口令 凭据
login signin auth authentication 登录 登陆 认证 鉴权
server host machine 服务器 主机 机器
port 端口
package dependency library module 依赖 包 库
manager npm pnpm yarn 包管理
install setup 安装
style tone 风格 语气
format shape layout 格式
reply answer 回答 回复 答复
short brief concise terse 简洁 简短 精简
language 语言
english 英文 英语
chinese 中文 汉语
comment 注释
indent indentation tab tabs spaces 缩进
lint linter eslint oxlint 检查
meeting standup sync 会议 例会 站会
deadline due date milestone 截止 期限 里程碑
boss lead leader manager 领导 主管
owner own owns responsible charge maintainer 负责人 负责 归属
colleague teammate team 同事 团队 组员
customer client user 客户 用户
price cost fee budget billing 价格 费用 成本 预算
email mail 邮件 邮箱
phone telephone mobile 电话 手机
address location place city town 地址 位置 地点 城市
live lives living 居住 住在
birthday born 生日 出生
food eat lunch dinner diet meal 吃饭 午饭 晚饭 饮食
allergy allergic 过敏
color colour theme dark 颜色 配色 主题 深色
editor ide vscode vim neovim 编辑器
system os linux macos windows ubuntu 系统 操作系统
cloud aws azure aliyun 云 阿里云
container docker kubernetes k8s 容器 镜像
cache redis caching 缓存
queue kafka rabbitmq 队列 消息队列
log logging logs 日志
monitor monitoring alert alarm grafana prometheus 监控 告警 报警
backup dump restore snapshot 备份 恢复 快照
branch git merge rebase commit 分支 合并 提交
review pr pull 评审 审查
pipeline ci build jenkins actions 流水线 构建 编译
version upgrade update 版本 升级 更新
framework react vue angular svelte 框架
frontend ui page web browser 前端 页面 界面 浏览器
backend api service endpoint 后端 接口 服务
timeout slow latency performance speed fast 超时 缓慢 延迟 性能 速度 慢 卡
memory ram leak 内存 泄漏
disk storage space file 磁盘 存储 空间 文件
network proxy vpn dns 网络 代理
config configuration setting settings option 配置 设置 选项
schedule cron timer nightly weekly daily 定时 计划 调度 每晚 每周 每天
decision decide decided choose chose chosen pick 决定 选择 选用 采用
prefer preference favourite favorite like 偏好 喜欢 习惯
avoid never forbid forbidden ban 禁止 避免 不要 不准
delete remove drop 删除 移除
import export migrate migration 导入 导出 迁移
money currency 金钱 货币
payment pay invoice 支付 付款 发票
tax vat 税 税率 增值税
time timestamp date 时间 时间戳 日期
timezone utc 时区
name called nickname 名字 称呼 叫做 昵称
job work role profession 工作 职业 角色 岗位
project product app application 项目 产品 应用
doc document documentation docs readme wiki 文档 说明
image picture photo 图片 图像 照片
screen resolution display 屏幕 显示器 分辨率
key keyboard shortcut hotkey 快捷键 键盘
domain url website site link 域名 网址 网站 链接
certificate tls ssl https 证书
chart graph plot diagram 图表 曲线
report weekly summary 报告 周报 总结 汇报
data csv excel spreadsheet table 数据 表格
encoding utf8 gbk charset 编码 字符集
path folder directory 路径 目录 文件夹
script shell bash command 脚本 命令
python pip conda 虚拟环境
encrypt encryption cipher 加密
permission access right rights 权限 访问
model llm ai deepseek gpt claude 模型 大模型
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '))

export interface RelatedGroup {
  readonly members: readonly { readonly word: string; readonly terms: readonly string[] }[]
}

interface KnownWords {
  readonly byMember: ReadonlyMap<string, readonly RelatedGroup[]>
  /** Characters of the longest Chinese member. */
  readonly longestCjk: number
}

let words: KnownWords | undefined

/** Made when first asked for: a store without memories never is. */
function knownWords(): KnownWords {
  if (words !== undefined) return words
  const byMember = new Map<string, RelatedGroup[]>()
  for (const line of GROUPS) {
    const group = { members: line.map((word) => ({ word, terms: memoryTerms(word) })) }
    for (const { word, terms } of group.members) {
      const key = isCjk(word) ? word : (terms[0] ?? word)
      byMember.set(key, [...(byMember.get(key) ?? []), group])
    }
  }
  return (words = { byMember, longestCjk: Math.max(...[...byMember.keys()].filter(isCjk).map((word) => word.length)) })
}

/** @param word a stem, or Chinese characters as they stand. */
export function relatedGroups(word: string): readonly RelatedGroup[] {
  return knownWords().byMember.get(word) ?? []
}

/** The longest known Chinese word of two characters or more that begins at `at`; undefined when there is none. */
export function knownWordAt(run: string, at: number): string | undefined {
  const { byMember, longestCjk } = knownWords()
  for (let length = Math.min(longestCjk, run.length - at); length > 1; length--) {
    const word = run.slice(at, at + length)
    if (byMember.has(word)) return word
  }
  return undefined
}
