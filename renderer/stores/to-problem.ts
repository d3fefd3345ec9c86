/** What a store keeps of a failed call so that a view can explain it. */
import { toErrorData, type AppErrorData } from '#contracts/wire/app-error.ts'

export type Problem = AppErrorData

export const toProblem = (thrown: unknown): Problem => toErrorData(thrown)
