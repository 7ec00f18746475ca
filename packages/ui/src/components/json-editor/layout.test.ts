import fc from 'fast-check'
import t from 'tap'
import { compactJson, layoutJson } from './layout.ts'

t.test('JSON is put in lines as it would be printed', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      return layoutJson(text) === JSON.stringify(value, null, 2)
    }),
  )
})

t.test('and back', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      return compactJson(layoutJson(text)) === text
    }),
  )
})

t.test('numbers keep their spelling, and what comes twice stays', async (t) => {
  const text = '{"a":1.0,"a":12345678901234567890,"b":[],"c":{}}'
  t.equal(
    layoutJson(text),
    '{\n  "a": 1.0,\n  "a": 12345678901234567890,\n  "b": [],\n  "c": {}\n}',
  )
  t.equal(compactJson(layoutJson(text)), text)
  t.equal(compactJson(' "a \\" b" '), '"a \\" b"')
})
