/**
 * Everyday verbs, adjectives and nouns of no particular subject. They count in a question, but much less than what it is about:
 * a small store cannot tell by itself which words are common ones.
 */
import { porterStem } from './porter-stem.ts'

const ENGLISH = new Set(
  `able accept acceptable add allow allowed appear apply arrive assign back bad become begin best better big bring build call care cause change
  choose clean clear close common complete contain correct create current cut day deal decide design different difficult drop early easy end
  enough enter exact expect fact fail fall fast find first fix follow free frequent full general good great group half happen hard high hold
  hour important include keep kind large last late lay lead leave left less let level light limit list little live long low main many matter mean
  meet middle minute miss month morning move name near new next normal note number offer old open order own part pass past people person place
  plan play point possible provide pull push put quick reach read ready real receive reject remain remove require respond responsible rest result
  return right rule run same save second send serve set shape short show side simple small sort sound special stand standard start state stay
  step stop strong support sure survive take talk thing third time today together tomorrow tonight top total true turn type useful usual valid
  visit visitor wait walk warn way week wide win word work world write wrong year yesterday young`
    .split(/\s+/)
    .map(porterStem),
)

const CHINESE = new Set(
  '喜欢 要求 打开 关闭 通知 提交 调用 失效 开始 结束 完成 进行 处理 发生 出现 得到 找到 看到 看看 来自 属于 包括 支持 允许 能够 办法 方式 方法 原因 结果 情况 地方 部分 内容 名字 名称 数量 数字 大小 长度 高度 时间 日期 今天 明天 昨天 今年 去年 明年 每天 每周 每月 每年 上周 下周 本周 早上 上午 中午 下午 晚上 重要 主要 普通 正常 特别 最近 最新 最后 第一 第二 所有 全部 其他 另外 相关 对应 具体 负责 负责人 联系 安排 准备 注意 选择 决定 不能 直接'.split(
    ' ',
  ),
)

/** The hundred nouns that every text is full of, and their neighbours. */
const ENGLISH_NOUNS = new Set(
  `air area art body book building business car case child city class community company country door education end experience eye face family
  father food force form friend game garden girl government guy hand head health history home house human idea information issue job kid law life
  line man market member money mother night office paper parent party power president price problem process product program question reason
  research room school science service side society space state story street student study system table teacher team university view voice war
  water woman`
    .split(/\s+/)
    .map(porterStem),
)

const CHINESE_NOUNS = new Set(
  '公司 办公 办公室 工作 项目 系统 问题 用户 人员 社会 国家 世界 生活 学校 学生 老师 孩子 家庭 朋友 政府 城市 经济 市场 信息 社区 活动 关系 计划 过程 会议 产品'.split(
    ' ',
  ),
)

export const LIGHT = 0.35
const COMMON = 0.5

/** @param word a stem, or Chinese characters; a single one is a verb or half a word. @returns 1 for a word of substance. */
export function weightOfWord(word: string): number {
  if (ENGLISH.has(word) || CHINESE.has(word) || [...word].length === 1) return LIGHT
  return ENGLISH_NOUNS.has(word) || CHINESE_NOUNS.has(word) ? COMMON : 1
}
