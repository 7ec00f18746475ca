import fc from 'fast-check'
import t from 'tap'
import { findJsonProblem, formatJson } from './json.ts'

t.test('JSON has no problem', async (t) => {
  fc.assert(fc.property(fc.json(), (text) => findJsonProblem(text) === undefined))
  t.equal(findJsonProblem('{"a": 1}'), undefined)
})

t.test('what is none has a line', async (t) => {
  t.strictSame(findJsonProblem('{\n  "a": 1,\n  b: 2\n}'), { offset: 14, line: 3 })
  t.equal(findJsonProblem('')?.line, 1)
  t.equal(findJsonProblem('{\n"a":\n')?.line, 2, 'where something is missing')
  t.equal(findJsonProblem('[1, 2\n3]')?.line, 2)
})

t.test('the place is within the text', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const { offset = 0, line = 1 } = findJsonProblem(text) ?? {}
      return offset >= 0 && offset <= text.length && line <= text.split('\n').length
    }),
  )
})

t.test('JSON is put in lines, and what is none is left alone', async (t) => {
  t.equal(formatJson('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}')
  t.equal(formatJson('{"a":'), '{"a":')
})
