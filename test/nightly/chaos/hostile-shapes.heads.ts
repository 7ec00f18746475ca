import {
  between,
  counted,
  type Fill,
  filled,
  type HostileShape,
  request,
} from './hostile-shapes.ts'

/** All headers together may have 16 KiB; those that belong to the request need some of it. */
const headerLength = 15_000

/** What the gateway reads of cookies. */
const cookieLength = 8000

/** What it takes of tokens and of URLs. */
const tokenLength = 4096
const urlLength = 4096

/** More than the parser takes of a head. */
const tooLong = 17_000

const flags = '/api/v1/namespaces/default/flags'

/** Needs no credential, and passes on the cookies of logins. */
const methods = '/auth/v1/method'

/** What parsers are known to take long for. */
const fillers: Readonly<Record<string, Fill>> = {
  'spaces between letters': between('a', filled(' '), 'a'),
  'tabs between letters': between('a', filled('\t'), 'a'),
  'a space after every letter': filled('a '),
  commas: filled(','),
  'commas and spaces': filled(', '),
  'letters and commas': filled('a,'),
  semicolons: filled(';'),
  'semicolons and spaces': filled('; '),
  'letters and semicolons': filled('a;'),
  'equals signs': filled('='),
  'pairs without names': filled('=a;'),
  'weights after commas': filled('a;q=0,'),
  quotes: filled('"'),
  'quotes and commas': filled('",'),
  backslashes: filled('\\'),
  colons: filled(':'),
  'letters and colons': filled('a:'),
  dots: filled('.'),
  'digits and dots': filled('1.'),
  slashes: filled('/'),
  stars: filled('*'),
  brackets: filled('['),
  'percent signs': filled('%'),
  'encoded percent signs': filled('%25'),
  'bytes above ASCII': filled('\xff'),
}

/** Those that are read before it is known who is calling, or that look as if they were. */
const headers = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-type',
  'cookie',
  'forwarded',
  'host',
  'origin',
  'x-forwarded-for',
  'x-request-id',
  'x-svc-min-revision',
  'x-svc-namespace',
]

function ofHeaders(): HostileShape[] {
  return headers.flatMap((header) =>
    Object.entries(fillers).map(([name, fill]) => ({
      name: `${header}: ${name}`,
      hostile: request('GET', flags, { [header]: fill(headerLength) }),
      harmless: request('GET', flags, { [header]: 'a'.repeat(headerLength) }),
    })),
  )
}

/** With a length that is read to its end, or is just too much. */
function ofCookies(): HostileShape[] {
  const session = between('svc_client_token=', filled('a'), '')
  const fills: Readonly<Record<string, Fill>> = {
    'spaces between letters': between('a=b', filled(' '), 'c'),
    'tabs between letters': between('a=b', filled('\t'), 'c'),
    'spaces before the name': between('', filled(' '), 'a=b'),
    'spaces in front of a space in 49 pairs': filled(`a=b${' '.repeat(155)}c; `),
    '49 pairs of spaces': filled(`${' '.repeat(160)};`),
    'equals signs': between('a', filled('='), ''),
    'semicolons, too many': filled(';'),
    'pairs, too many': filled('a=b; '),
    '49 sessions': filled(`svc_client_token=${'a'.repeat(140)}; `),
    'a session of equals signs': between('svc_client_token=', filled('='), ''),
    'a session of dots': between('svc_client_token=', filled('.'), ''),
    'a session in the shape of a JWT': between('svc_client_token=', filled('a.a.a'), ''),
    'a session of spaces': between('svc_client_token=a', filled(' '), 'a'),
    'a quoted session': between('svc_client_token="', filled('\\"'), '"'),
    '49 logins under way': filled(`svc_flow_abcdefgh=${'a.'.repeat(70)}; `),
    'a login under way of dots': between('svc_flow_abcdefgh=', filled('.'), ''),
  }
  return [flags, methods].flatMap((target) =>
    Object.entries(fills).map(([name, fill]) => ({
      name: `${target === flags ? 'cookies' : 'cookies of a login'}: ${name}`,
      hostile: request('GET', target, { cookie: fill(cookieLength) }),
      harmless: request('GET', target, { cookie: session(cookieLength) }),
    })),
  )
}

/** Tokens that auth is asked about. */
function ofTokens(): HostileShape[] {
  const own = `svc_${'a'.repeat(43)}_abcdef`
  const json = (text: string) => Buffer.from(text).toString('base64url')
  const jwt = (header: string, claims: string) => `${json(header)}.${json(claims)}.${json('sig')}`
  const typed = '{"alg":"ES256","kid":"one"}'
  const ofClaims = (fill: Fill, before: string, after: string) =>
    jwt(typed, between(before, fill, after)(5000))
  const tokens: Readonly<Record<string, string>> = {
    letters: 'a'.repeat(tokenLength),
    'the prefix of ours': filled(own)(tokenLength),
    dots: '.'.repeat(tokenLength),
    'two dots and letters': `..${'a'.repeat(tokenLength - 2)}`,
    'letters and dots': filled('aa.')(tokenLength),
    'three parts of letters': `${'a'.repeat(2000)}.aa.${'a'.repeat(2000)}`,
    'equals signs': '='.repeat(tokenLength),
    quotes: '"'.repeat(tokenLength),
    slashes: '/'.repeat(tokenLength),
    'percent signs': '%'.repeat(tokenLength),
    'a JWT of letters': `${'a'.repeat(2700)}.${'a'.repeat(2700)}.${'a'.repeat(2700)}`,
    'a JWT of underscores': `${'_'.repeat(2700)}.${'_'.repeat(2700)}.${'_'.repeat(2700)}`,
    'a JWT of brackets': ofClaims(filled('['), '{"a":', '}'),
    'a JWT of nested lists': ofClaims(filled('[[[[]]]],'), '{"a":[', '[]]}'),
    'a JWT of quotes': ofClaims(filled('\\"'), '{"iss":"', '"}'),
    'a JWT of backslashes': ofClaims(filled('\\\\'), '{"iss":"', '"}'),
    'a JWT of an open text': ofClaims(filled('\\"'), '{"iss":"', '}'),
    'a JWT of many texts': ofClaims(filled('"a",'), '{"a":[', '""]}'),
    'a JWT of many claims': ofClaims(
      counted((i) => `"${i}":1,`),
      '{',
      '"a":1}',
    ),
    'a JWT of one claim many times': ofClaims(filled('"a":1,'), '{', '"a":1}'),
    'a JWT of colons': ofClaims(filled('::'), '{"a":"', '"}'),
    'a JWT of digits': ofClaims(filled('9'), '{"exp":', '}'),
    'a JWT of many audiences': ofClaims(
      filled('"flags",'),
      '{"iss":"https://ci.example","aud":[',
      '""]}',
    ),
    'a JWT of a long type': jwt(
      between('{"alg":"ES256","typ":"', filled('application/'), '"}')(4000),
      '{}',
    ),
    'a JWT of a long key id': jwt(
      between('{"alg":"ES256","kid":"', filled('a'), '"}')(4000),
      '{"iss":"https://ci.example"}',
    ),
    'a JWT of many headers': jwt(
      between(
        '{',
        counted((i) => `"${i}":1,`),
        '"alg":"ES256"}',
      )(4000),
      '{}',
    ),
  }
  return Object.entries(tokens).flatMap(([name, token]) => [
    {
      name: `a token: ${name}`,
      hostile: request('GET', flags, { authorization: `Bearer ${token}` }),
      harmless: request('GET', flags, { authorization: `Bearer ${harmlessToken(token)}` }),
    },
    {
      name: `a token in a cookie: ${name}`,
      hostile: request('GET', flags, { cookie: `svc_client_token=${token}` }),
      harmless: request('GET', flags, { cookie: `svc_client_token=${'a'.repeat(token.length)}` }),
    },
  ])
}

/** One that is asked about as well, where there may be one of that length. */
function harmlessToken(token: string): string {
  const length = token.length - 12
  return token.length <= tokenLength
    ? 'a'.repeat(token.length)
    : `eyJhbGciOiJF.${'a'.repeat(length - 12)}.abcdefghij`
}

function ofUrls(): HostileShape[] {
  const fills: Readonly<Record<string, Fill>> = {
    slashes: filled('/'),
    'letters and slashes': filled('/a'),
    'dots and slashes': filled('/..'),
    backslashes: filled('/\\'),
    'percent signs': between('/', filled('%'), ''),
    'encoded slashes': between('/', filled('%2f'), ''),
    'encoded percent signs': between('/', filled('%25'), ''),
    'encoded spaces': between('/', filled('%20'), ''),
    'encoded letters': between('/', filled('%61'), ''),
    'encoded UTF-8': between('/', filled('%c3%bc'), ''),
    'broken UTF-8': between('/', filled('%c3%28'), ''),
    'bytes of zero': between('/', filled('%00'), ''),
    'bytes above ASCII': between('/', filled('\xff'), ''),
    semicolons: between('/', filled(';'), ''),
    stars: between('/', filled('*'), ''),
    colons: between('/', filled(':'), ''),
    'question marks': between('/', filled('?'), ''),
    'number signs': between('/', filled('#'), ''),
    'a long key': between(`${flags}/`, filled('a'), ''),
    'a long key of encoded letters': between(`${flags}/`, filled('%61'), ''),
    'a long key of encoded slashes': between(`${flags}/`, filled('%2f'), ''),
    'a long namespace': between('/api/v1/namespaces/', filled('a'), '/flags'),
    'a long namespace, encoded': between('/api/v1/namespaces/', filled('%61'), '/flags'),
    'namespaces and flags in turn': filled('/api/v1/namespaces/a/flags'),
    'rules and distributions': between(`${flags}/a`, filled('/rules/a/distributions'), ''),
    'the documentation': between('/docs/', filled('../'), ''),
    'an authority': between('http://', filled('a'), '/'),
    'an authority of slashes': between('http://', filled('/'), ''),
    'an authority of colons': between('http://', filled(':@'), '/'),
  }
  const usual = (hostile: string) =>
    between('/', filled(hostile.includes('%25') ? '%61' : 'a'), '')(hostile.length)
  return [urlLength, headerLength].flatMap((length) =>
    Object.entries(fills).map(([name, fill]) => ({
      name: `a URL of ${length}: ${name}`,
      hostile: request('GET', fill(length)),
      // To decode escapes takes twice as long as to see that there are none.
      harmless: request('GET', usual(fill(length))),
    })),
  )
}

function ofQueries(): HostileShape[] {
  const fills: Readonly<Record<string, Fill>> = {
    ampersands: filled('&'),
    'equals signs': filled('='),
    'names alone': filled('a&'),
    'one name many times': filled('a=b&'),
    'many names': counted((i) => `${i.toString(36)}=&`),
    'many numbers': counted((i) => `${i}=&`, 1000),
    'large numbers': counted((i) => `${i * 1_000_003}=&`, 4000),
    'names of prototypes': filled('__proto__=a&constructor=a&'),
    brackets: filled('a[]=b&'),
    'nested brackets': between('a', filled('[b]'), '=c'),
    'plus signs': filled('+'),
    'plus signs as values': filled('a=+&'),
    'percent signs': filled('%'),
    'encoded percent signs': filled('%25'),
    'encoded ampersands': filled('%26'),
    'encoded letters': filled('%61=%62&'),
    'broken UTF-8': filled('a=%ff&'),
    'question marks': filled('?'),
    semicolons: filled(';'),
    limits: filled('limit=1&'),
    'a long limit': between('limit=', filled('9'), ''),
    'a long page token': between('pageToken=', filled('YWZ0ZXIg'), ''),
    references: filled('reference=a&'),
    namespaces: filled('namespaceKey=default&'),
  }
  return [urlLength, headerLength].flatMap((length) =>
    Object.entries(fills).map(([name, fill]) => ({
      name: `a query of ${length}: ${name}`,
      hostile: request('GET', between(`${flags}?`, fill, '')(length)),
      harmless: request('GET', between(`${flags}?a=`, filled('b'), '')(length)),
    })),
  )
}

/** Heads that the parser of HTTP refuses, or that have as many headers as it takes. */
function ofHeads(): HostileShape[] {
  const many = (count: number, header: (i: number) => readonly [string, string]) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => header(i)))
  const one = (length: number) => ({ a: 'a'.repeat(length) })
  const shapes: Readonly<Record<string, [hostile: Record<string, string>, length: number]>> = {
    '90 headers': [many(90, (i) => [`a${i}`, 'b'.repeat(150)]), 13_900],
    '90 headers without a value': [many(90, (i) => [`a${i}`, '']), 500],
    '110 headers': [many(110, (i) => [`a${i}`, 'b']), 900],
    '2,000 headers': [many(2000, (i) => [`a${i}`, '']), 15_000],
    'a long name': [{ ['a'.repeat(headerLength)]: 'b' }, headerLength],
    'a long name, too long': [{ ['a'.repeat(tooLong)]: 'b' }, tooLong],
    'spaces, too long': [{ cookie: between('a', filled(' '), 'b')(tooLong) }, tooLong],
    'commas, too long': [{ accept: ','.repeat(tooLong) }, tooLong],
    'a session, too long': [
      { cookie: between('svc_client_token=', filled('a'), '')(tooLong) },
      tooLong,
    ],
    'an encoding of the body': [{ 'content-encoding': 'gzip,'.repeat(3000) }, 15_000],
    'an expectation': [{ expect: '100-continue,'.repeat(1150) }, 15_000],
    'connection options': [{ connection: 'a,'.repeat(7500) }, 15_000],
    'connection options of spaces': [
      { connection: between('a', filled(' '), ',keep-alive')(15_000) },
      15_000,
    ],
    'a language': [{ 'accept-language': 'a;q=0,'.repeat(2500) }, 15_000],
    'an upgrade': [{ upgrade: 'a/1,'.repeat(3750) }, 15_000],
    'a range': [{ range: between('bytes=', filled('0-0,'), '0-0')(15_000) }, 15_000],
    'a preflight': [
      {
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'a,'.repeat(7000),
      },
      14_000,
    ],
  }
  return Object.entries(shapes).map(([name, [hostile, length]]) => ({
    name: `a head: ${name}`,
    hostile: request('GET', flags, hostile),
    harmless: request('GET', flags, one(length)),
  }))
}

export const heads: readonly HostileShape[] = [
  ...ofHeaders(),
  ...ofCookies(),
  ...ofTokens(),
  ...ofUrls(),
  ...ofQueries(),
  ...ofHeads(),
]
