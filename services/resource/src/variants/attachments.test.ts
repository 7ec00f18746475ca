import t from 'tap'
import { toAttachment } from './attachments.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const quoted = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`

t.test('takes no attachment for none', async (t) => {
  t.equal(toAttachment(''), '')
})

t.test('refuses what is no JSON', async (t) => {
  const refused = { message: 'invalid field attachment: must be a json string' }
  for (const text of [' ', '{a:1}', "'a'", '{"a":1}{}', '[1,]', 'NaN', '"\t"', '\ufeff{}']) {
    t.throws(() => toAttachment(text), refused, JSON.stringify(text))
  }
})

t.test('takes 1,024,000 bytes and not one more', async (t) => {
  t.equal(toAttachment(quoted(1_024_000)).length, 1_024_000)
  const refused = { message: 'invalid field attachment: must be less than 1000 KB' }
  t.throws(() => toAttachment(quoted(1_024_001)), refused)
})

t.test('counts bytes, and those that are stored', async (t) => {
  t.equal(toAttachment(`${' '.repeat(1_000_000)}${quoted(1_024_000)}`).length, 1_024_000)
  t.throws(() => toAttachment(`"${'é'.repeat(512_000)}"`), { message: /less than 1000 KB/ })
})

t.test('takes 64 levels and not one more', async (t) => {
  t.equal(toAttachment(nested(64)), nested(64))
  const message = 'invalid field attachment: must not be nested deeper than 64 levels'
  t.throws(() => toAttachment(nested(65)), { message })
  t.throws(() => toAttachment(`{"a":${nested(64)}}`), { message })
  t.throws(() => toAttachment(nested(500_000)), { message })
  t.equal(toAttachment(`"${'['.repeat(65)}"`).length, 67)
})
