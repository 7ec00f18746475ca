import t from 'tap'
import { demoNamespaces } from './demo.ts'
import { type StartFacts, summarize } from './start.summary.ts'

const plain = (text: string) => text
const token = `svc_${'x'.repeat(43)}_${'y'.repeat(6)}`
const first: StartFacts = {
  url: 'http://localhost:65535',
  token,
  hasInterface: true,
  isTokenRequired: true,
  hasDemo: false,
  hasSharedCache: false,
  dataDirectory: './.data',
  logFile: './.data/server.log',
  tookMs: 1940,
}
const later: StartFacts = { ...first, token: undefined }
const variations: Record<string, StartFacts> = {
  first,
  later,
  'first with demo data': { ...first, hasDemo: true },
  'later with demo data': { ...later, hasDemo: true },
  'open to all': { ...later, isTokenRequired: false },
  'without the interface': { ...first, hasInterface: false },
  'with Redis': { ...first, hasSharedCache: true },
}

for (const [name, facts] of Object.entries(variations)) {
  t.test(`${name}: fits into 80 columns`, async (t) => {
    const wide = summarize(facts, plain)
      .split('\n')
      .filter((line) => line.length > 80)
    t.strictSame(wide, [])
  })
}

t.test('begins with the page, and with the token that it takes', async (t) => {
  const rowsOf = (facts: StartFacts) => summarize(facts, plain).trim().split('\n')
  const [page = '', itsToken = '', use = ''] = rowsOf(first)
  t.equal(page, 'Interface  http://localhost:65535')
  t.equal(itsToken, `  Token      ${token}`)
  t.match(use, /^ +Sign in with it\./)
  const without = rowsOf({ ...first, hasInterface: false })
  t.equal(without[0], 'URL        http://localhost:65535')
  t.notMatch(without.join(), 'Sign in')
})

t.test('shows the first token in full, as a row and to copy', async (t) => {
  const text = summarize(first, plain)
  t.match(text, `\n  Token      ${token}\n`)
  t.match(text, `\n    export SVC_TOKEN='${token}'\n`)
})

t.test('turns a demo flag on that has no more to lose: PUT replaces everything', async (t) => {
  const text = summarize({ ...first, hasDemo: true }, plain)
  const [, key, body = ''] = /flags\/(\S+) [^']*-X PUT[^']*'([^']*)'/.exec(text) ?? []
  const flag = demoNamespaces[0]?.flags.find((candidate) => candidate.key === key)
  const { type, key: _, ...kept } = flag ?? {}
  t.strictSame(Object.keys(JSON.parse(body)), Object.keys(kept))
  t.equal(JSON.parse(body).name, flag?.name)
})

t.test('says at a later start how to get a token', async (t) => {
  const text = summarize(later, plain)
  t.match(text, /\n {2}Token {6}already created, or not shown/)
  t.match(text, '/auth/v1/method/token')
  t.match(text, 'npm start -- --new-token')
  t.notMatch(text, '--fresh')
  t.notMatch(text, 'svc_')
})

t.test('leaves the token out where none is needed', async (t) => {
  const text = summarize({ ...later, isTokenRequired: false }, plain)
  t.notMatch(text, 'SVC_TOKEN')
  t.notMatch(text, 'Authorization')
})

t.test('quotes a token that a shell would misread', async (t) => {
  const text = summarize({ ...first, token: "it's $HOME" }, plain)
  t.match(text, `export SVC_TOKEN='it'\\''s $HOME'\n`)
})

t.test('paints labels, not values', async (t) => {
  const text = summarize(first, (label) => `<${label}>`)
  t.match(text, '  <Token     > svc_')
  t.match(text, '<Try it>')
})
