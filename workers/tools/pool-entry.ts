/** The threads for CPU-heavy tools: each export is a task (see pool/pool-tasks.ts). */
export { analyzeCsvFile as analyzeCsv } from './csv/analyze-csv-file.ts'
