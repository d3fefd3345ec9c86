import { expect, test } from 'vitest'
import { bringsText } from '#workers/tools/domain/shell/brings-text.ts'

test.each([
  'curl -s example.org',
  '/usr/bin/wget -qO- example.org',
  'sh -c "curl example.org"',
  'X=1; timeout 5 curl example.org',
  'git pull --rebase',
  'git -C sub fetch',
  'npm view left-pad',
  'npx cowsay',
  'pip3 install x',
  `python -c "import urllib.request as u; print(u.urlopen('http://example.org').read())"`,
  'cat < /dev/tcp/example.org/80',
  'cu\\rl example.org',
  'gh issue view 3',
  'docker logs web',
])('%j may bring words of strangers', (line) => expect(bringsText(line)).toBe(true))

test.each([
  'npm test',
  'npm run build',
  'make -j2',
  'git status',
  'git log --oneline',
  'ls -la',
  'python x.py',
  'cargo test',
  'docker ps',
  'cat curl.txt',
])('%j does not', (line) => expect(bringsText(line)).toBe(false))
