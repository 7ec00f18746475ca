import t from 'tap'
import { checkRequest, checkText } from './requests.ts'

t.test('checkRequest', async (t) => {
  const rules = { namespaceKey: { key: true } }

  await t.test('takes an empty namespace for the default one', async (t) => {
    t.strictSame(checkRequest(rules, { namespaceKey: '', a: 1 }), { namespaceKey: 'default', a: 1 })
    t.strictSame(checkRequest(rules, { namespaceKey: 'b' }), { namespaceKey: 'b' })
    t.strictSame(checkRequest({}, { key: '' }), { key: '' })
  })

  await t.test('refuses what names no namespace', async (t) => {
    const message =
      'invalid field namespaceKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","'
    for (const namespaceKey of [' ', 'a b', '../a', 'a%2Fb', 'ä', 'a\n', 'A\u200b']) {
      t.throws(() => checkRequest(rules, { namespaceKey }), { code: 'invalid_argument', message })
    }
  })
})

t.test('checkText', async (t) => {
  await t.test('takes whole characters, also of two units', async (t) => {
    t.doesNotThrow(() => checkText({ a: 'ä 💡 \u{10ffff}', b: ['', { c: 1, d: undefined }] }))
  })

  await t.test('names the field that holds what cannot be stored', async (t) => {
    const nul = { message: 'invalid field b: must not contain U+0000' }
    t.throws(() => checkText({ a: '', b: 'x\0' }), nul)
    t.throws(() => checkText({ b: [{ c: '\0' }] }), nul)
    const half = { message: 'invalid field b: must be well-formed Unicode' }
    for (const text of ['\ud83d', '\udca1', '💡\ud83d', '\udca1\ud83d']) {
      t.throws(() => checkText({ b: text }), half)
      t.throws(() => checkText({ b: { [text]: 1 } }), half)
    }
  })
})
