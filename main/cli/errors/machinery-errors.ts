/** Sessions, storage and our own machinery. */
import { ExitCode } from '../exit-code.ts'
import { entry, type ErrorEntry } from './error-entry.ts'

const { FAILED } = ExitCode

export const MACHINERY_ERRORS: Readonly<Record<string, ErrorEntry>> = {
  // Sessions and storage.
  SESSION_NOT_FOUND: entry(
    FAILED,
    'There is no session {sessionId} in this workspace.\n`metona sessions list` shows those there are.',
    '此工作空间中没有会话 {sessionId}。\n`metona sessions list` 显示现有会话。',
  ),
  SESSION_BUSY: entry(FAILED, 'A turn is running in this session.\nWait for it to end.', '该会话正在运行。\n请等待其结束。'),
  NO_DATABASE: entry(
    FAILED,
    '{path} holds no Metona data.\nName the workspace with -w.',
    '{path} 中没有 Metona 数据。\n请用 -w 指定工作空间。',
  ),
  DISK_FULL: entry(
    FAILED,
    'The disk is full.\nWhat was confirmed so far is safe; nothing more can be kept.\nFree some space and try again.',
    '磁盘已满。\n此前已确认的内容是安全的，但无法再保存。\n请释放空间后重试。',
    true,
  ),
  STORAGE_FAILED: entry(FAILED, 'The data of this folder could not be read or written.', '无法读取或写入该文件夹的数据。', true),
  NOTHING_TO_RETRY: entry(FAILED, 'There is nothing to run again in this session.', '该会话中没有可重新运行的内容。'),
  DATABASE_BUSY: entry(
    FAILED,
    'Another program holds the database of this folder.\nClose it and try again.',
    '其他程序占用了该文件夹的数据库。\n请关闭后重试。',
    true,
  ),

  // Our own machinery.
  WORKER_LOST: entry(
    FAILED,
    'A part of the app ended unexpectedly.\nWhat was committed is kept.\nTry again.',
    '应用的一部分意外结束。\n已提交的内容已保留。\n请重试。',
    true,
  ),
  WORKER_FAILED: entry(
    FAILED,
    'The {worker} part of the app does not start.\nRun `metona doctor`; if bundles are damaged, `npm run build` makes them anew.',
    '应用的 {worker} 部分无法启动。\n请运行 `metona doctor`；若程序文件损坏，可用 `npm run build` 重新生成。',
    true,
  ),
  CALL_TIMEOUT: entry(
    FAILED,
    'A part of the app gave no answer.\nTry again; `metona doctor --perf` shows which part is slow.',
    '应用的一部分没有回应。\n请重试；`metona doctor --perf` 显示哪一部分较慢。',
    true,
  ),
  INTERNAL: entry(
    FAILED,
    'Something went wrong inside Metona.\nPlease report it with the detail below.',
    'Metona 内部出错。\n请附上下面的详情报告。',
    true,
  ),
}
