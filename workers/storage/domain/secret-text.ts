/** Keys and passwords as people write them down. Those of a vendor's form, and those that are known, are the redactor's. */

/* Every look ahead has a bound, and no two repetitions can share the same characters: a line may be as long as the file. */

/** What names a secret elsewhere, or stands for one: not the secret itself. */
const PLACEHOLDER = String.raw`(?!\$\{?[A-Z][A-Z0-9_]*\}?(?![a-z])|\$\(|%[A-Z_]+%|<|\{\{|\*{3}|[xX]{3}|\[redacted|process\.env|os\.environ|env[.:]|secrets?[.:/]|vault:|op://|(?:https?|file)://)`
const QUOTE = `["'“‘\`]?`
/** No letter before it, or it would be another word; a part of a longer name (\`DB_PASSWORD\`) it may be. */
const BEGIN = '(?<![A-Za-z])'
const END = '(?![A-Za-z])'
const PASSWORD = '(?:password|passwd|pwd|passphrase|passcode)'
const KEY = '(?:api[ _-]?key|secret(?:[ _-]?(?:access[ _-]?)?key)?|(?:[a-z]+[ _-])?token|private[ _-]?key|access[ _-]?key|credentials?)'
const GIVEN = `${QUOTE}\\s*(?:[=:：]+>?)\\s*${QUOTE}`
/** In a sentence: a sign at the end of a word is the sentence's. */
const SAID = `${QUOTE}\\s+(?:is|are|was)(?:\\s*[:：])?\\s+${QUOTE}`
const MIXED = `(?=[^\\s"'\`]{0,200}\\d)(?=[^\\s"'\`]{0,200}[A-Za-z])[^\\s"'\`]{8,}`

const NAMED: readonly RegExp[] = [
  new RegExp(`${BEGIN}${PASSWORD}${END}${GIVEN}${PLACEHOLDER}(?=\\S{0,200}[\\d!@#$%^&*])[^\\s"']{6,}`, 'i'),
  new RegExp(`${BEGIN}${PASSWORD}${END}${SAID}${PLACEHOLDER}(?=\\S{0,200}(?:\\d|[!@#$%^&*]\\w))[^\\s"']{6,}`, 'i'),
  new RegExp(`${BEGIN}${KEY}${END}(?:${GIVEN}|${SAID})${PLACEHOLDER}${MIXED}`, 'i'),
  new RegExp(`(?<!\\S)--?(?:${PASSWORD}|${KEY})\\s+${QUOTE}${PLACEHOLDER}(?=\\S{0,200}[\\d!@#$%^&*])[^\\s"'-][^\\s"']{5,}`, 'i'),
  new RegExp(`(?:密码|口令|密钥|令牌)\\s*(?:是|为|[=:：])\\s*${QUOTE}${PLACEHOLDER}(?=[!-~]{0,200}[\\d!@#$%^&*])[!-~]{6,}`),
]
const AS_WRITTEN: readonly RegExp[] = [
  // A line of an environment file.
  new RegExp(
    `(?<![A-Za-z0-9_])(?:[A-Z0-9]+_)*(?:PASSWORD|PASSWD|PWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY)=${QUOTE}${PLACEHOLDER}[^\\s"']{6,}`,
  ),
  new RegExp(
    `[Aa]uthorization["']?\\s*[:=]\\s*["']?(?:[Bb]asic|[Bb]earer|[Tt]oken|[Dd]igest)\\s+${PLACEHOLDER}(?=\\S{0,200}(?:\\d|[a-z][A-Z]|=))[^\\s"']{6,}`,
  ),
  new RegExp(`${BEGIN}[Bb]earer\\s+${PLACEHOLDER}(?=\\S{0,200}\\d)[A-Za-z0-9+/_.~=-]{16,}`),
  // The password in an address, but for the words that stand in for one in every manual.
  new RegExp(
    `[a-z][a-z0-9+.-]{0,20}://[^\\s/?#@:]{0,200}:${PLACEHOLDER}(?!(?:password|passwd|pass|pwd|secret|token)@)[^\\s/@]{1,200}@`,
    'i',
  ),
]

/** Whether the text, or what its signs stand for, gives a secret away. */
export function isSecretText(text: string): boolean {
  const plain = text.normalize('NFKC')
  // `dbPassword` is read as `db_Password`.
  const names = plain.replace(/([a-z0-9])([A-Z])(?=[A-Za-z]{0,40}["']?\s?[=:：])/g, '$1_$2')
  return NAMED.some((pattern) => pattern.test(names)) || AS_WRITTEN.some((pattern) => pattern.test(plain))
}
