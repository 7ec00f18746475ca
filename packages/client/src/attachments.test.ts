import t from 'tap'
import { Attachments } from './attachments.ts'

t.test('attachments are values that none can change for others', async (t) => {
  const attachments = new Attachments()
  const text = '{"list":[{"a":1}],"none":null}'
  const value = attachments.read(text)
  t.strictSame(value, { list: [{ a: 1 }], none: null })
  t.equal(attachments.read(text), value, 'read once')
  t.throws(() => Object.assign(value as object, { more: 1 }), TypeError)
  t.throws(() => (value as { list: unknown[] }).list.push(1), TypeError)
  t.strictSame(
    ['1', '"x"', 'null', 'false', ''].map((text) => attachments.read(text)),
    [1, 'x', null, false, undefined],
  )
  t.throws(() => attachments.read('{'), SyntaxError)
})

t.test('no more of them are kept than fit', async (t) => {
  const attachments = new Attachments()
  const first = attachments.read('["first"]')
  for (const letter of 'abcd') attachments.read(JSON.stringify(letter.repeat(5 * 2 ** 20)))
  t.not(attachments.read('["first"]'), first)
  t.equal(attachments.read(JSON.stringify('x'.repeat(20 * 2 ** 20))), 'x'.repeat(20 * 2 ** 20))
})
