/** Puts values into a text of the messages table: `{name}`. A value that is not there leaves nothing. */
export function fill(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (_whole, name: string) => (params[name] === undefined ? '' : String(params[name])))
}
