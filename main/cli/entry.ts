/** The command line, as the launcher loads it. */
import { main } from './main.ts'

await main(process.argv.slice(2), process.env)
