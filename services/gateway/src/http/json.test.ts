import { AppError } from '@svc/runtime'
import fc from 'fast-check'
import t from 'tap'
import { refusals } from '../refusals.fixture.ts'
import { parseJsonObject } from './json.ts'

const parse = (text: string | Buffer) => parseJsonObject(Buffer.from(text))

t.test('takes an object and leaves what follows it', async (t) => {
  const deepest = `{"a":${'['.repeat(31)}${']'.repeat(31)}}`
  const taken: [text: string, value: object][] = [
    ['', {}],
    [' \n', {}],
    ['null', {}],
    ['\ufeff null\n{"a":1}', {}],
    ['{}', {}],
    ['\ufeff{"a":1}', { a: 1 }],
    [' {"a":[1,{"b":"}"}]} {"c":2}', { a: [1, { b: '}' }] }],
    ['{"a":1}garbage', { a: 1 }],
    ['{"a":"\\"\\\\"}', { a: '"\\' }],
    ['{"a":"\\ud83d\\ude00 \u00fc"}', { a: '\u{1f600} ü' }],
    ['{"constructor":1,"prototype":{}}', { constructor: 1, prototype: {} }],
    ['{"a":{"x":1},"b":[{"x":1},{"x":1}]}', { a: { x: 1 }, b: [{ x: 1 }, { x: 1 }] }],
    [deepest, JSON.parse(deepest)],
  ]
  for (const [text, value] of taken) t.strictSame(parse(text), value, text.slice(0, 60))
})

t.test('refuses the rest, without repeating it', async (t) => {
  const deep = 'the json body nests deeper than 32 levels'
  const utf8 = 'the body is not valid UTF-8'
  const refused: [text: string | Buffer, message: string | RegExp][] = [
    [Buffer.from('{"a":"\xff"}', 'latin1'), utf8],
    [Buffer.from('{"\xed\xa0\x80":1}', 'latin1'), utf8],
    [`{"a":${'['.repeat(32)}${']'.repeat(32)}}`, deep],
    [`{"a":${'['.repeat(100_000)}`, deep],
    [`${'{"a":'.repeat(100_000)}`, deep],
  ]
  for (const [message, texts] of Object.entries(refusals.bodies)) {
    const pattern = message.startsWith('^') ? new RegExp(message) : message
    for (const text of texts) refused.push([text, pattern])
  }
  for (const [text, message] of refused) {
    const title = JSON.stringify(text.toString().slice(0, 60))
    t.throws(() => parse(text), { code: 'invalid_argument', message }, title)
  }
})

t.test('refuses thousands of different names, however they are spread', async (t) => {
  const named = (count: number) => Array.from({ length: count }, (_, i) => `"name${i}":{}`)
  const spread = (count: number) => named(count).map((member) => `{${member}}`)
  const message = 'the json body has more than 2048 different names'
  t.equal(Object.keys(parse(`{${named(2000)}}`)).length, 2000)
  t.match(parse(`{"a":[${spread(2000)}]}`), { a: [{ name0: {} }] })
  for (const count of [3000, 100_000]) {
    t.throws(() => parse(`{${named(count)}}`), { code: 'invalid_argument', message })
    t.throws(() => parse(`{"a":[${spread(count)}]}`), { code: 'invalid_argument', message })
  }
  const same = Array.from({ length: 16_000 }, () => '{"a":1,"b":2}')
  t.match(parse(`{"a":[${same}]}`), { a: [{ a: 1, b: 2 }] })
})

t.test('refuses more values than a body of its size usually has by far', async (t) => {
  const message = 'the json body has more than 131072 values'
  const values = (count: number) => `{"a":[${Array(count).fill(1)}]}`
  t.doesNotThrow(() => parse(values(131_072)))
  t.throws(() => parse(values(131_074)), { code: 'invalid_argument', message })
  t.doesNotThrow(() => parse(`{"a":"${','.repeat(200_000)}"}`), 'commas in texts are none')
})

t.test('refuses more objects and lists than the largest batch has by far', async (t) => {
  const message = 'the json body has more than 16384 objects and lists'
  for (const item of ['{}', '[]', '[[[]]]']) {
    const perItem = item.length / 2
    const containers = (count: number) => `{"a":[${Array(Math.floor(count / perItem)).fill(item)}]}`
    t.doesNotThrow(() => parse(containers(16_382)), item)
    for (const count of [16_386, 300_000]) {
      t.throws(() => parse(containers(count)), { code: 'invalid_argument', message }, item)
    }
  }
})

t.test('reads names with escapes, whatever was parsed before', async (t) => {
  // From then on V8 takes an escape for these backslashes: nodejs/node#63785.
  parse('{"p":1,"\\\\":2,"p\\\\":3}')
  const names = { p: 1, '\n': 2, 'p"': 3 }
  t.strictSame(parse(JSON.stringify(names)), names)
  t.strictSame(parse('{"p":1,"\\u0071":[{"p":1,"\\"":"\\n:"}]}'), {
    p: 1,
    q: [{ p: 1, '"': '\n:' }],
  })
  const message = 'the json body has a name twice in one object'
  t.throws(() => parse('{"p":1,"\\u0070":2}'), { code: 'invalid_argument', message })
})

t.test('reads whatever JSON.stringify writes', async (t) => {
  const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
    const text = JSON.stringify(object)
    fc.pre(!/__proto__|prototype|\d{16}/.test(text))
    return JSON.stringify(parse(text)) === text
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('refuses whole numbers whose last digits it would lose', async (t) => {
  t.throws(() => parse('{"n":12345678901234567890}'), { code: 'invalid_argument' })
  t.strictSame(parse('{"n":9007199254740991,"m":1e300}'), { n: 9007199254740991, m: 1e300 })
})

t.test('refuses any text or reads it as JSON.parse does', async (t) => {
  const piece = fc.constantFrom(...'{}[]":,\\a1 ', 'u0041', '\ud800')
  const property = fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
    const text = `{${pieces.join('')}`
    let mine: unknown
    try {
      mine = parse(text)
    } catch (error) {
      return error instanceof AppError
    }
    // A lone surrogate has no UTF-8: the body has U+FFFD in its place.
    const sent = text.toWellFormed()
    const prefixes = Array.from({ length: sent.length }, (_, i) => sent.slice(0, i + 1))
    const value = prefixes.flatMap((prefix) => parsed(prefix)).at(0)
    return JSON.stringify(value) === JSON.stringify(mine)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }))
})

function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}
