import t from 'tap'
import { checkKey, checkShort, checkText, inNamespace } from './fields.ts'

t.test('inNamespace', async (t) => {
  await t.test('takes an empty namespace for the default one', async (t) => {
    t.strictSame(inNamespace({ namespaceKey: '', a: 1 }), { namespaceKey: 'default', a: 1 })
    t.strictSame(inNamespace({ namespaceKey: 'b' }), { namespaceKey: 'b' })
  })

  await t.test('refuses what names no namespace', async (t) => {
    const message =
      'invalid field namespaceKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","'
    for (const namespaceKey of [' ', 'a b', '../a', 'a%2Fb', 'ä', 'a\n', 'A\u200b']) {
      t.throws(() => inNamespace({ namespaceKey }), { code: 'invalid_argument', message })
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

t.test('checkKey takes letters, digits, "-", "_" and ","', async (t) => {
  for (const key of ['a', 'A-b_c,9', '-', 'constructor', '__proto__', 'k'.repeat(255)]) {
    t.doesNotThrow(() => checkKey('key', key))
  }
  for (const key of ['.', '..', '/', 'a/b', 'a\0', 'ｋ', 'k '] as const) {
    t.throws(() => checkKey('key', key), { message: /contains invalid characters/ })
  }
})

t.test('checkShort counts characters and not units', async (t) => {
  t.doesNotThrow(() => checkShort('name', '💡'.repeat(255)))
  const message = 'invalid field name: must be at most 255 characters'
  t.throws(() => checkShort('name', '💡'.repeat(256)), { message })
  t.throws(() => checkShort('name', 'n'.repeat(256)), { message })
  t.throws(() => checkShort('name', 'n'.repeat(5_000_000)), { message })
})
