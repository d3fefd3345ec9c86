/** What a schema found wrong, in one line: `operation.text: Too big; limit: Invalid input`. A schema's own message is a page of JSON. */

interface SchemaFailure {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]
}

/** More of them say nothing new. */
const MOST = 5

export function describeIssues({ issues }: SchemaFailure): string {
  const said = issues.slice(0, MOST).map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
  return issues.length > MOST ? `${said.join('; ')} …` : said.join('; ')
}
