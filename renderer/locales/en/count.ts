export const count = {
  tokens: '{value} tokens | {value} token | {value} tokens',
  iterations: '{value} requests | {value} request | {value} requests',
}
