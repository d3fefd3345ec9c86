/** Answers go to the model, to servers and into the log, so secrets are not to be asked for. */
const SECRET =
  /\b(password|passphrase|passcode|api[ _-]?key|secret[ _-]?key|access[ _-]?token|private[ _-]?key|credit card|cvv|otp)\b|密码|口令|密钥|令牌|验证码|银行卡/i

export function asksForSecret(text: string): boolean {
  return SECRET.test(text)
}
