import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './tests/runner/long-first.ts'

/**
 * One configuration for every suite. `tests/run.ts` picks folders by suite; a single file runs with
 * `npm test -- tests/<path>`. Tests start real threads and processes, so each file has a process of
 * its own, and time limits are generous: they catch hangs, they measure nothing.
 */
export default defineConfig({
  plugins: [vue()],
  test: {
    include: ['tests/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // A test that forgot its assertion fails, and so does a forgotten `.only`.
    expect: { requireAssertions: true },
    allowOnly: false,
    passWithNoTests: false,
  },
})
