import fc from 'fast-check'
import t from 'tap'
import { toLocalPath } from './redirects.ts'

const here = 'https://flags.example.com'

t.test('goes to a path of this service', async (t) => {
  for (const path of ['/', '/flags', '/flags/a%2Fb?x=1&y=%20#top', '/#/flags', '/.//x', '/a//b']) {
    t.equal(toLocalPath(path), path)
  }
})

const elsewhere = [
  ...[
    '//evil.example',
    '///evil.example',
    '////evil.example',
    '/\\evil.example',
    '\\\\evil.example',
  ],
  ...['/\t/evil.example', '/\n/evil.example', '/\r\n/evil.example', '\t//evil.example', ' //evil'],
  ...['/ /evil.example', '/\u0000/evil.example', '/\u000b/evil.example', '/\u00a0/evil.example'],
  ...['/\u2028/evil.example', '/\u2215/evil.example', '/\uff0f/evil.example', '/\u3002evil'],
  ...['https://evil.example', 'http://evil.example', 'HTTPS://evil.example', 'https:evil.example'],
  ...[
    'https:/evil.example',
    'https:\\\\evil.example',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
  ],
  ...[
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:x',
    'about:blank',
    'mailto:a@b',
  ],
  ...[
    '%2f%2fevil.example',
    '%2Fevil',
    '%5c%5cevil',
    '%09//evil',
    './/evil',
    '..//evil',
    './',
    '..',
  ],
  ...[
    'evil.example',
    '@evil.example',
    '?x=//evil',
    '#//evil',
    ';//evil',
    ':80',
    '*',
    '',
    ' ',
    '\\',
  ],
  ...[
    '/ok\r\nSet-Cookie: a=b',
    '/ok\nLocation: //evil',
    '/ok\u0000',
    '/ok\\..\\evil',
    '/a b',
    '/ü',
  ],
  ...[`/${'a'.repeat(512)}`, '\ufeff/x', '\u200b/x', '/\ud800', '/\u202e'],
]

t.test('goes to the first page instead of anywhere else', async (t) => {
  t.comment(`${elsewhere.length} addresses elsewhere`)
  t.ok(elsewhere.length >= 60, 'the corpus is whole')
  t.strictSame(
    elsewhere.map(toLocalPath),
    elsewhere.map(() => '/'),
  )
})

t.test('never leaves this origin, whatever is asked', async (t) => {
  const odd = fc.constantFrom('/', '\\', '.', ':', '@', '%', '\t', '\n', 'e', '?', '#', '%2f')
  const wishes = fc.oneof(
    fc.string(),
    fc.array(odd).map((parts) => `/${parts.join('')}`),
  )
  fc.assert(
    fc.property(wishes, (wish) => new URL(toLocalPath(wish), here).origin === here),
    { numRuns: 10_000 },
  )
  t.pass()
})
