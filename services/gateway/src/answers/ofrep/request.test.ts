import t from 'tap'
import { readAsked, readNamespace } from './request.ts'

const read = (context?: unknown) => readAsked({}, context === undefined ? {} : { context })

t.test('a context may be left out', async (t) => {
  const nothing = { targetingKey: undefined, flagKeys: undefined }
  t.match(read(), nothing)
  t.match(read(null), nothing)
  t.match(read({}), nothing)
})

t.test('values of any JSON type become texts, and null is none', async (t) => {
  const { context, targetingKey } = read({ targetingKey: 42, a: true, b: [1], c: null })
  t.same({ ...context }, { targetingKey: '42', a: 'true', b: '[1]' })
  t.equal(targetingKey, '42')
})

t.test('an empty targeting key is one', async (t) => {
  t.equal(read({ targetingKey: '' }).targetingKey, '')
  t.equal(read({ targetingKey: null }).targetingKey, undefined)
})

t.test('flags are listed with commas, each once', async (t) => {
  t.strictSame(read({ flags: ' a,b ,,a' }).flagKeys, ['a', 'b'])
  t.equal(read({ flags: '' }).flagKeys, undefined)
  t.equal(read({ flags: ' , ' }).flagKeys, undefined)
  const many = (count: number) =>
    read({ flags: Array.from({ length: count }, (_, i) => `f${i}`).join() })
  t.equal(many(1000).flagKeys?.length, 1000)
  t.throws(() => many(1001), { message: 'invalid field flags: must list at most 1000 flags' })
})

t.test('flags of another type list none, and are an attribute like others', async (t) => {
  for (const [flags, text] of [
    [7, '7'],
    [true, 'true'],
    [['a'], '["a"]'],
    [{ a: 1 }, '{"a":1}'],
    [null, undefined],
  ]) {
    const { flagKeys, context } = read({ targetingKey: 'u', flags })
    t.equal(flagKeys, undefined)
    t.equal(context.flags, text)
  }
})

t.test('names that every object has are names like others', async (t) => {
  t.equal(read(JSON.parse('{"constructor":"x"}')).targetingKey, undefined)
  t.equal(read({}).flagKeys, undefined)
})

t.test('what is no context is refused', async (t) => {
  for (const context of [1, 'a', [], true]) {
    t.throws(() => read(context), { code: 'invalid_argument' })
  }
})

t.test('the namespace is in either header, and the default one without', async (t) => {
  for (const [own, other, key] of [
    [undefined, undefined, 'default'],
    ['', undefined, 'default'],
    ['a', undefined, 'a'],
    [undefined, 'a', 'a'],
    ['', 'a', 'a'],
    ['a', 'a', 'a'],
  ]) {
    t.equal(readNamespace({ 'x-svc-namespace': own, 'x-flipt-namespace': other }), key)
  }
})

t.test('what cannot be a key is refused, and two of them are', async (t) => {
  const refuses = (reason: string, own: string, other?: string) =>
    t.throws(() => readNamespace({ 'x-svc-namespace': own, 'x-flipt-namespace': other }), {
      code: 'invalid_argument',
      message: `invalid field X-Svc-Namespace: ${reason}`,
    })
  refuses('differs from X-Flipt-Namespace', 'a', 'b')
  // Node.js joins headers of the same name: "a, b".
  for (const key of ['a, b', 'a b', 'ä', '../a', '\0', ' ']) {
    refuses('contains invalid characters: allowed are letters, digits, "-", "_" and ","', key)
  }
  refuses('must be at most 255 characters', 'a'.repeat(256))
})
