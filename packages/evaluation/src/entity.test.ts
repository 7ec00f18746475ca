import fc from 'fast-check'
import t from 'tap'
import { textIn, toContext } from './entity.ts'

t.test('a key of any name reads as what it was given', async () => {
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']
  const property = fc.oneof(fc.constantFrom(...names), fc.string())
  fc.assert(
    fc.property(property, fc.string(), (name, value) => {
      const parsed = JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`)
      return toContext(parsed)[name] === value && toContext({ n: 1, ...parsed })[name] === value
    }),
  )
})

t.test('values that are not texts become their JSON text, and null is absent', async (t) => {
  const values = JSON.parse(`{
    "text": "a", "number": 1.50, "yes": true, "no": false, "none": null,
    "list": [1, "b", null], "object": {"c": {"d": 2}}, "__proto__": 7
  }`)
  t.strictSame(Object.entries(toContext(values)), [
    ['text', 'a'],
    ['number', '1.5'],
    ['yes', 'true'],
    ['no', 'false'],
    ['list', '[1,"b",null]'],
    ['object', '{"c":{"d":2}}'],
    ['__proto__', '7'],
  ])
  const circular: Record<string, unknown> = {}
  circular.self = circular
  t.throws(() => toContext(circular), TypeError)
})

t.test('values without a JSON text are absent', async (t) => {
  const values = { a: undefined, b: () => 1, c: Symbol('c'), d: '', e: Number.NaN, f: 1 / 0 }
  t.strictSame(Object.keys(toContext(values)), ['d'])
})

t.test('a value that is a text in JSON is that text', async (t) => {
  const at = new Date(1_800_000_000_000)
  t.strictSame({ ...toContext({ at, never: new Date(Number.NaN) }) }, { at: at.toISOString() })
})

t.test('one property reads as in the context of all', async () => {
  const names = ['constructor', '__proto__', 'toString', 'a', 'b']
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(undefined, Number.NaN, new Date(0), () => 1),
    fc.double(),
  )
  const values = fc.dictionary(fc.constantFrom(...names), value)
  fc.assert(
    fc.property(values, fc.constantFrom(...names), (values, name) => {
      const context = toContext({ ...values, text: 1 })
      return textIn(values, name) === (Object.hasOwn(context, name) ? context[name] : '')
    }),
  )
})

t.test('a record of texts is taken as it is', async (t) => {
  const values = { plan: 'pro' }
  t.equal(toContext(values), values)
})
