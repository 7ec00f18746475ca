import t from 'tap'
import { findIgnored } from './ignored-names.ts'
import { bound } from './testing.ts'

const ignoredBy = (operation: string) => {
  const { input } = bound(operation).operation
  return (body: object) => findIgnored(input, JSON.parse(JSON.stringify(body)))
}

t.test('names what a message does not have', async (t) => {
  const inFlag = ignoredBy('UpdateFlag')
  t.equal(inFlag({ enabledd: true }), 'enabledd')
  t.equal(inFlag({ enabled: true, Name: 1, nmae: 'x' }), 'Name, nmae')
  t.equal(inFlag({ enabledd: null }), 'enabledd')
  t.equal(inFlag({}), undefined)
})

t.test('knows both spellings of a name', async (t) => {
  const inFlag = ignoredBy('UpdateFlag')
  t.equal(inFlag({ namespaceKey: '', namespace_key: '', default_variant_id: '' }), undefined)
  t.equal(inFlag({ namespacekey: '' }), 'namespacekey')
})

t.test('looks into messages, and says where', async (t) => {
  const inRollout = ignoredBy('CreateRollout')
  t.equal(inRollout({ threshold: { percentage: 5, valeu: true } }), 'threshold.valeu')
  t.equal(inRollout({ threshold: 5, segment: null, sgment: {} }), 'sgment')
  const inBatch = ignoredBy('EvaluateBatch')
  const requests = [{ flagKey: 'a' }, { flagKeyy: 'b' }, { flagKeyy: 'c' }, 1]
  t.equal(inBatch({ requests }), 'requests.flagKeyy', 'once, however many items have it')
  t.equal(inBatch({ requests: { 0: { flagKeyy: 'b' } } }), 'requests.flagKeyy')
})

t.test('leaves alone what applications name', async (t) => {
  t.equal(ignoredBy('UpdateFlag')({ metadata: { a: { b: [{ c: 1 }] } } }), undefined)
  t.equal(ignoredBy('EvaluateBoolean')({ context: { a: 1, b: { c: 1 } } }), undefined)
  t.equal(ignoredBy('EvaluateFlags')({ context: { a: 1 } }), undefined)
  t.equal(ignoredBy('CreateToken')({ metadata: { a: 'b' }, expiresAt: '2030-01-01' }), undefined)
})

t.test('counts what it does not name', async (t) => {
  const inFlag = ignoredBy('UpdateFlag')
  t.equal(inFlag({ 'a b': 1, 'c\r\nd': 2, ü: 3, '': 4 }), '+4')
  t.equal(inFlag({ enabledd: 1, 'a b': 1 }), 'enabledd, +1')
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`name-${i}`, i]))
  const all = inFlag(many) ?? ''
  t.match(all, /^name-0, (name-\d, ){9}\+4990$/)
  for (const length of [60, 128, 300, 100_000]) {
    const long = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`${'x'.repeat(length)}${i}`, i]),
    )
    const text = inFlag(long) ?? ''
    t.ok(text.length <= 256, `${text.length} bytes`)
    t.match(text, /(^|, )\+\d+$/)
  }
})
