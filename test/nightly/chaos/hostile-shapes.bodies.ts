import {
  between,
  counted,
  type Fill,
  filled,
  type HostileShape,
  repeated,
  request,
} from './hostile-shapes.ts'

/** By the URL of a route, how much it takes; what logs in is read without any credential. */
const limits: Readonly<Record<string, number>> = {
  '/evaluate/v1/batch': 2 ** 20,
  '/ofrep/v1/evaluate/flags': 2 ** 20,
  '/api/v1/namespaces/default/flags': 4 * 2 ** 20,
  '/auth/v1/session': 64 * 1024,
}

const logout = '/auth/v1/method/oidc/accounts/backchannel-logout'

const member = (fill: Fill) => between('{"a":"', fill, '"}')
const list = (fill: Fill) => between('{"a":[', fill, '0]}')

const fills: Readonly<Record<string, Fill>> = {
  'spaces alone': repeated(' '),
  'spaces before the object': between('', repeated(' '), '{}'),
  'byte order marks': repeated('\u{feff}'),
  'spaces within the object': between('{"a":', repeated(' \t\r\n'), '1}'),
  'spaces after the object': between('{}', repeated(' '), ''),
  'braces after the object': between('{}', repeated('{'), ''),
  'an open text': between('{"a":"', repeated('a'), ''),
  'an open text of backslashes': between('{"a":"', repeated('\\\\'), ''),
  'an open text of quotes': between('{"a":"', repeated('\\"'), ''),
  'backslashes in a text': member(repeated('\\\\')),
  'quotes in a text': member(repeated('\\"')),
  'line breaks in a text': member(repeated('\\n')),
  'escapes in a text': member(repeated('\\u0061')),
  'escaped surrogates': member(repeated('\\ud83d\\ude00')),
  'lone surrogates': member(repeated('\\ud83d')),
  'escapes of zero': member(repeated('\\u0000')),
  'letters beyond ASCII': member(repeated('\u00fc')),
  'letters beyond Latin': member(repeated('\u4e00')),
  'replacement characters': member(repeated('\u{fffd}')),
  'control characters': member(repeated('\u0001')),
  brackets: repeated('['),
  'brackets in an object': between('{"a":', repeated('['), ''),
  braces: repeated('{'),
  'objects in objects': repeated('{"a":'),
  'empty lists': list(repeated('[],')),
  'empty objects': list(repeated('{},')),
  'lists of 30 levels': list(repeated(`${'['.repeat(30)}${']'.repeat(30)},`)),
  'objects of 29 levels': list(repeated(`${'{"a":'.repeat(29)}0${'}'.repeat(29)},`)),
  'closing brackets': between('{"a":', repeated(']'), '}'),
  commas: between('{', repeated(','), '}'),
  colons: between('{', repeated(':'), '}'),
  quotes: between('{', repeated('"'), '}'),
  'small numbers': list(repeated('1,')),
  'numbers of 16 digits': list(repeated('1234567890123456,')),
  fractions: list(repeated('1.5,')),
  exponents: list(repeated('1e9,')),
  'a long number': between('{"a":', repeated('9'), '}'),
  'a long fraction': between('{"a":0.', repeated('3'), '}'),
  'a long exponent': between('{"a":1e', repeated('9'), '}'),
  'numbers that overflow': list(repeated('1e999,')),
  booleans: list(repeated('true,')),
  nulls: list(repeated('null,')),
  'empty texts': list(repeated('"",')),
  'short texts': list(counted((i) => `"${i.toString(36)}",`)),
  'texts of digits': list(counted((i) => `"${i}",`, 100_000)),
  'one name many times': between('{', repeated('"a":1,'), '"a":1}'),
  'many names': between(
    '{',
    counted((i) => `"${i.toString(36)}":1,`),
    '"a":1}',
  ),
  'many long names': between(
    '{',
    counted((i) => `"${String(i).padStart(60, 'a')}":1,`),
    '"a":1}',
  ),
  'many numbers as names': between(
    '{',
    counted((i) => `"${i}":1,`),
    '"a":1}',
  ),
  'large numbers as names': between(
    '{',
    counted((i) => `"${i * 100_003}":1,`),
    '"a":1}',
  ),
  'numbers that fall together as names': between(
    '{',
    counted((i) => `"${String(i * 2 ** 20).padStart(10, '1')}":1,`),
    '"a":1}',
  ),
  'many objects of different names': list(counted((i) => `{"${i.toString(36)}":1},`)),
  'names of prototypes as texts': between(
    '{"a":"constructor __proto__","b":[',
    repeated('{"a":1},'),
    '0]}',
  ),
  'names of prototypes': between('{', repeated('"__proto__":1,'), '"a":1}'),
  constructors: list(repeated('{"constructor":{}},')),
  'requests that are none': between('{"requests":[', repeated('1,'), '1]}'),
  'empty requests': between('{"requests":[', repeated('{},'), '{}]}'),
  'requests as an object': between(
    '{"requests":{',
    counted((i) => `"${i}":{},`),
    '"a":{}}}',
  ),
  'a large context': between(
    '{"context":{',
    counted((i) => `"${i.toString(36)}":"",`),
    '"a":""}}',
  ),
  'a context of objects': between('{"context":{"a":[', repeated('{},'), '0]}}'),
  'a list of flags in a context': between('{"context":{"flags":"', repeated('a,'), '"}}'),
  'a long flag key': between('{"flagKey":"', repeated('a'), '"}'),
  'a long namespace': between('{"namespaceKey":"', repeated('a'), '"}'),
}

/** What applications send: a batch of questions, with what they know of an entity. */
const attributes = Array.from({ length: 20 }, (_, i) => [
  `attribute${i}`,
  `what is known of it, ${i}`,
])
const question = JSON.stringify({
  flagKey: 'checkout',
  entityId: 'user-42',
  context: Object.fromEntries(attributes),
})

const usual: Fill = (length) => {
  const count = Math.floor((length - 15) / (question.length + 1))
  return `{"requests":[${Array.from({ length: count }, () => question).join()}]}`.padEnd(length)
}

const forms: Readonly<Record<string, Fill>> = {
  ampersands: filled('&'),
  'equals signs': filled('='),
  'names alone': filled('a&'),
  'one name many times': filled('a=b&'),
  'many names': counted((i) => `${i.toString(36)}=&`),
  'many numbers': counted((i) => `${i}=&`),
  'percent signs': filled('%'),
  'encoded percent signs': filled('%25'),
  'broken UTF-8': filled('%ff'),
  'plus signs': filled('+'),
  'a token of dots': between('logout_token=', filled('.'), ''),
  'many tokens': filled('logout_token=a&'),
}

function ofBodies(): HostileShape[] {
  const json = { 'content-type': 'application/json' }
  return Object.entries(limits).flatMap(([target, length]) =>
    Object.entries(fills).map(([name, fill]) => ({
      name: `a body for ${target}: ${name}`,
      hostile: request('POST', target, json, () => bytes(fill, length)),
      harmless: request('POST', target, json, () => bytes(usual, length)),
    })),
  )
}

function ofForms(): HostileShape[] {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const length = 16 * 1024
  const token = between('logout_token=aaaa.', filled('a'), '.aaaa')
  return Object.entries(forms).map(([name, fill]) => ({
    name: `a form: ${name}`,
    hostile: request('POST', logout, headers, () => bytes(fill, length)),
    harmless: request('POST', logout, headers, () => bytes(token, length)),
  }))
}

function bytes(fill: Fill, length: number): Buffer {
  return Buffer.from(fill(length)).subarray(0, length)
}

export const bodies: readonly HostileShape[] = [...ofBodies(), ...ofForms()]
