import fc from 'fast-check'
import t from 'tap'
import { readContext, toContext } from './context.ts'

const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']

t.test('a key that is absent reads as empty, names of the prototype included', async (t) => {
  for (const property of ['plan', ...inherited]) {
    t.equal(readContext({}, property), '', property)
    t.equal(readContext(Object.create(null), property), '', property)
  }
})

t.test('a key of any name reads as what it was given', async () => {
  const property = fc.oneof(fc.constantFrom(...inherited), fc.string())
  fc.assert(
    fc.property(property, fc.string(), (name, value) => {
      const parsed = JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`)
      return readContext(parsed, name) === value && readContext(toContext(parsed), name) === value
    }),
  )
})

t.test('values that are not texts become their JSON text, and null is absent', async (t) => {
  const values = JSON.parse(`{
    "text": "a", "number": 1.50, "yes": true, "no": false, "none": null,
    "list": [1, "b", null], "object": {"c": {"d": 2}}, "__proto__": 7
  }`)
  const context = toContext(values)
  t.strictSame(
    Object.entries(context),
    Object.entries({
      text: 'a',
      number: '1.5',
      yes: 'true',
      no: 'false',
      list: '[1,"b",null]',
      object: '{"c":{"d":2}}',
      ['__proto__']: '7',
    }),
  )
})

t.test('values without a JSON text are absent', async (t) => {
  t.strictSame(Object.keys(toContext({ a: undefined, b: () => 1, c: Symbol('c'), d: '' })), ['d'])
})

t.test('a record of texts is taken as it is', async (t) => {
  const values = { plan: 'pro' }
  t.equal(toContext(values), values)
})
