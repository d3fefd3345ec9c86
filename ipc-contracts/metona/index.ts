/** Public edge of the internal API standard. */
export * from './metona-request.ts'
export * from './metona-response.ts'
export * from './metona-context.ts'
export * from './metona-memory.ts'
export * from './metona-tool.ts'
export * from './metona-adapter.ts'
