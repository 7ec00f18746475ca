import fc from 'fast-check'
import t from 'tap'
import { toContext } from './entity.ts'

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
})

t.test('values without a JSON text are absent', async (t) => {
  t.strictSame(Object.keys(toContext({ a: undefined, b: () => 1, c: Symbol('c'), d: '' })), ['d'])
})

t.test('a record of texts is taken as it is', async (t) => {
  const values = { plan: 'pro' }
  t.equal(toContext(values), values)
})
