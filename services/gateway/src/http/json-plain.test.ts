import fc from 'fast-check'
import t from 'tap'
import { parsePlainObject } from './json-plain.ts'

const parse = (text: string) => parsePlainObject(Buffer.from(text))

t.test('reads what clients usually send', async (t) => {
  const taken = [
    '{}',
    '{ }',
    '{"a":"b"}',
    ' \t\r\n{"a" : "b" , "c" : { } , "d":[ ] }'.trim(),
    '{"a":{"b":{"c":"~ "}},"d":["e",["f",{}]]}',
    '{"a":0,"b":-1,"c":[123456789012345,-0,1]}',
    '{"a":true,"b":false,"c":null,"d":[true,null]}',
    '{"2":"x","1":"y","":"z"}',
    '{"toString":"x","hasOwnProperty":1,"prototype":{}}',
  ]
  for (const text of taken) {
    t.strictSame(parse(text), JSON.parse(text), text)
    t.equal(JSON.stringify(parse(text)), JSON.stringify(JSON.parse(text)), text)
  }
  t.strictSame(parse('{"a":1} and more'), { a: 1 })
  const deep = `{"a":${'['.repeat(31)}${']'.repeat(31)}}`
  t.strictSame(parse(deep), JSON.parse(deep))
})

t.test('leaves everything else to others', async (t) => {
  const left = [
    '',
    ' {}',
    '[]',
    '"a"',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":[1 2]}',
    '{,}',
    '{"a" "b"}',
    '{"a":1;"b":2}',
    '{a:1}',
    "{'a':1}",
    '{"a":1.5}',
    '{"a":1e3}',
    '{"a":01}',
    '{"a":-}',
    '{"a":+1}',
    '{"a":1234567890123456}',
    '{"a":tru}',
    '{"a":nullx}',
    '{"a":undefined}',
    '{"a":"b\\n"}',
    '{"a":"b\n"}',
    '{"a":"ü"}',
    '{"a":"\x7f"}',
    '{"a":1,"a":1}',
    '{"a":{"b":1,"b":2}}',
    '{"__proto__":{}}',
    '{"constructor":{}}',
    `{"a":${'['.repeat(32)}${']'.repeat(32)}}`,
    `${'{"a":'.repeat(40)}`,
  ]
  for (const text of left) t.equal(parse(text), undefined, text)
})

t.test('reads as JSON.parse does, or not at all', async (t) => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '"a"',
    '"b":',
    '0',
    '12',
    '-',
    'null',
    ' ',
    'ü',
  ]
  const text = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => `{${all.join('')}`),
    fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
  )
  const property = fc.property(text, (text) => {
    const mine = parse(text)
    if (mine === undefined) return true
    // What follows the object is ignored.
    const end = Array.from(text, (_, i) => i + 1).find((end) => isJson(text.slice(0, end)))
    return JSON.stringify(JSON.parse(text.slice(0, end))) === JSON.stringify(mine)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 20_000 }))
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
