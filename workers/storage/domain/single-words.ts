/**
 * Chinese nouns of one character that are said alone: animals, food, the body, the family, things of a household and a desk.
 * Any other character that stands alone in a question is a verb, a particle or half of a word the dictionary lacks.
 */
const NOUNS = new Set(
  `猫狗鱼鸟马牛羊猪鸡鸭鹅兔鼠虎龙蛇猴熊虫蜂茶酒饭菜肉蛋奶糖盐油醋面米汤粥果瓜豆姜蒜葱饼药病烟花草树竹山河湖海岛桥路街店楼墙门窗床灯桌椅柜伞鞋帽衣裤袜裙包
  刀锅碗杯瓶琴棋画歌舞球车船票书报信笔纸税钱账款雨雪风牙眼耳鼻手脚腿腰胃肝肺血妻爸妈爷奶哥姐弟妹叔姨网库表锁键码图栈堆`.replace(/\s/g, ''),
)

export function isSingleWord(character: string): boolean {
  return NOUNS.has(character)
}
