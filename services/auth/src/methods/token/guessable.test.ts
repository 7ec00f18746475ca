import { randomBytes, randomUUID } from 'node:crypto'
import t from 'tap'
import { isGuessable } from './bootstrap.ts'

t.test('passes random secrets of 128 bits and more', async (t) => {
  for (let i = 0; i < 200; i++) {
    const bytes = randomBytes(32)
    for (const secret of [bytes.toString('hex'), bytes.toString('base64url'), randomUUID()]) {
      t.notOk(isGuessable(secret), secret)
    }
  }
})

t.test('doubts what people type', async (t) => {
  const secrets = ['', 'changeme-changeme', '0123456789012345678901234567890', 'a'.repeat(60)]
  for (const secret of [...secrets, 'correct horse battery', 'my-bootstrap-token']) {
    t.ok(isGuessable(secret), secret)
  }
})
