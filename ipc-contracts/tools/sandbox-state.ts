/** What holds commands back on this machine, as it was tried, and what is said of it in both languages. */
import * as z from 'zod'

type Texts = Readonly<Record<'en' | 'zh', string>>
const text = (en: string, zh: string): Texts => ({ en, zh })

/** Why there is none. */
const REASONS = {
  no_program: text('bubblewrap is not installed', '未安装 bubblewrap'),
  too_old: text('bubblewrap is older than 0.8', 'bubblewrap 版本低于 0.8'),
  namespaces_forbidden: text('the system forbids user namespaces', '系统禁止用户命名空间'),
  mounts_forbidden: text('the system forbids the mounts it needs, as inside a container', '系统禁止所需的挂载（例如在容器中）'),
  failed: text('it was tried and failed', '试运行失败'),
  platform: text('there is none for this system', '此系统没有可用的沙箱'),
  untested: text('the profile for sandbox-exec was never run, so it counts as none', 'sandbox-exec 的配置从未实际运行过，因此视为没有沙箱'),
  folder: text('this folder holds the home folder or the system', '此文件夹包含用户主目录或系统目录'),
} satisfies Readonly<Record<string, Texts>>

export const SandboxReasonSchema = z.enum(Object.keys(REASONS) as (keyof typeof REASONS)[])
export type SandboxReason = z.infer<typeof SandboxReasonSchema>

export const SandboxStateSchema = z.object({
  kind: z.enum(['bwrap', 'seatbelt', 'none']),
  reason: SandboxReasonSchema.optional(),
  /** What the program said. */
  detail: z.string().optional(),
})
export type SandboxState = z.infer<typeof SandboxStateSchema>

const KINDS = {
  bwrap: text(
    'bubblewrap: commands change only the workspace and reach no network but the domains you allow',
    'bubblewrap：命令只能更改工作空间，只能访问你允许的域名',
  ),
  seatbelt: text(
    'sandbox-exec, never tested: commands are put into it, and auto_edit asks before each all the same',
    'sandbox-exec（从未测试）：命令会放入其中运行，但 auto_edit 仍会在每个命令前询问',
  ),
} as const

export function sandboxText(state: SandboxState, language: 'en' | 'zh'): string {
  if (state.kind !== 'none') return KINDS[state.kind][language]
  const reason = REASONS[state.reason ?? 'failed'][language]
  return language === 'en'
    ? `none (${reason}): commands run with your own rights, and auto_edit asks before each`
    : `无（${reason}）：命令以你本人的权限运行，auto_edit 会在每个命令前询问`
}
