/** What a suite's report says. A file that could not be loaded has no tests and yet is a failure. */

export interface Counts {
  readonly passed: number
  readonly failed: number
  /** Tests that exist and did not run. */
  readonly skipped: readonly SkippedTest[]
}

export interface SkippedTest {
  /** As the report has it: an absolute path. */
  readonly file: string
  readonly name: string
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/** @param text vitest's JSON report */
export function readReport(text: string): Counts {
  const report = JSON.parse(text) as Report
  let passed = 0
  let failed = 0
  const skipped: SkippedTest[] = []
  for (const file of report.testResults) {
    let failedHere = 0
    for (const test of file.assertionResults) {
      if (test.status === 'passed') passed++
      else if (test.status === 'failed') failedHere++
      else skipped.push({ file: file.name, name: test.fullName.trim() })
    }
    // A broken hook or import fails the file and no test of it.
    if (failedHere === 0 && file.status === 'failed') failedHere = 1
    failed += failedHere
  }
  return { passed, failed, skipped }
}
