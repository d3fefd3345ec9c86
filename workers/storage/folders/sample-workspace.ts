import { lstatSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '#contracts/wire/app-error.ts'
import { errorCodeOf } from '../database-errors.ts'

type Language = 'zh' | 'en'

const NAME: Readonly<Record<Language, string>> = { zh: 'metona-示例', en: 'metona-sample' }

const ROWS = [
  ['2026-03-02', 'Shanghai', '上海', 128, 19.9],
  ['2026-03-02', 'Berlin', '柏林', 64, 21.5],
  ['2026-03-03', 'Shanghai', '上海', 143, 19.9],
  ['2026-03-03', 'Lagos', '拉各斯', 77, 18],
  ['2026-03-04', 'Berlin', '柏林', 59, 21.5],
  ['2026-03-04', 'Lima', '利马', 31, 20.25],
  ['2026-03-05', 'Lagos', '拉各斯', 90, 18],
  ['2026-03-05', 'Shanghai', '上海', 151, 18.5],
  ['2026-03-06', 'Lima', '利马', 44, 20.25],
  ['2026-03-06', 'Berlin', '柏林', 71, 20],
] as const

const FILES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  zh: {
    'data.csv':
      ['日期,城市,订单数,单价', ...ROWS.map(([date, , city, orders, price]) => `${date},${city},${orders},${price}`)].join('\n') + '\n',
    'notes.md': '# 示例工作空间\n\n可以试试：\n\n- 读取 data.csv 并分析内容\n- 哪个城市的订单最多？\n- 把结论写进 report.md\n',
  },
  en: {
    'data.csv':
      ['date,city,orders,unit_price', ...ROWS.map(([date, city, , orders, price]) => `${date},${city},${orders},${price}`)].join('\n') +
      '\n',
    'notes.md':
      '# Sample workspace\n\nThings to try:\n\n- Read data.csv and analyse it\n- Which city has the most orders?\n- Write what you found to report.md\n',
  },
}

/** Makes the demonstration's folder and what is missing in it; files that are there stay as they are. Returns its real path. */
export function makeSampleWorkspace(language: Language): string {
  const folder = join(homedir(), 'MetonaWorkspaces', NAME[language])
  // Trust is given to what we made, not to a place somebody's link leads to.
  const present = lstatSync(folder, { throwIfNoEntry: false })
  if (present !== undefined && !present.isDirectory())
    throw new AppError({ code: 'NOT_A_FOLDER', message: `${folder} is in the way of the sample workspace`, params: { path: folder } })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(FILES[language])) {
    try {
      writeFileSync(join(folder, name), text, { flag: 'wx' })
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error
    }
  }
  return realpathSync.native(folder)
}
