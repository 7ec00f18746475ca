import { readFileSync, statSync } from 'node:fs'
import t from 'tap'
import { keepSecrets } from './start.secrets.ts'

t.test('makes secrets for their owner alone, and keeps them', async (t) => {
  const directory = t.testdir({})
  const { sharedFile, assertionKeyFile } = keepSecrets(directory)
  const read = () => [sharedFile, assertionKeyFile].map((file) => readFileSync(file, 'utf8'))
  const made = read()
  for (const secret of made) t.match(secret, /^[0-9a-f]{64}$/)
  t.not(made[0], made[1])
  for (const file of [sharedFile, assertionKeyFile]) t.equal(statSync(file).mode & 0o077, 0)
  t.strictSame(keepSecrets(directory), { sharedFile, assertionKeyFile })
  t.strictSame(read(), made)
})
