import t from 'tap'
import { demoNamespaces } from './demo.ts'
import { type StartFacts, summarize } from './start.summary.ts'

const plain = (text: string) => text
const token = `svc_${'x'.repeat(43)}_${'y'.repeat(6)}`
const first: StartFacts = {
  url: 'http://localhost:65535',
  token,
  isTokenRequired: true,
  isNew: true,
  hasDemo: false,
  hasSharedCache: false,
  dataDirectory: './.data',
  logFile: './.data/server.log',
  tookMs: 1940,
}
const later: StartFacts = { ...first, token: undefined, isNew: false }
const variations: Record<string, StartFacts> = {
  first,
  later,
  'first with demo data': { ...first, hasDemo: true },
  'later with demo data': { ...later, hasDemo: true },
  'open to all': { ...later, isTokenRequired: false },
  'token hidden': { ...first, token: undefined },
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

t.test('shows the first token in full, as a row and to copy', async (t) => {
  const text = summarize(first, plain)
  t.match(text, `\n  Token      ${token}\n`)
  t.match(text, `\n    export SVC_TOKEN=${token}\n`)
})

t.test('loses nothing of the demo flag that it turns on: PUT replaces everything', async (t) => {
  const text = summarize({ ...first, hasDemo: true }, plain)
  const [, path = '', body = ''] =
    /curl http:\S+?(\/\S+) \\\s+-X PUT[^']*'([^']*)'/.exec(text) ?? []
  const [, namespaceKey, key] = /namespaces\/(.+)\/flags\/(.+)$/.exec(path) ?? []
  const namespace = demoNamespaces.find((candidate) => candidate.key === namespaceKey)
  const flag = namespace?.flags.find((candidate) => candidate.key === key)
  t.strictSame(flag?.variants, undefined, 'it has no default variant to be lost')
  const { name, description } = flag ?? {}
  t.strictSame(JSON.parse(body), { name, description, enabled: true })
})

t.test('says at a later start how to get a token', async (t) => {
  const text = summarize(later, plain)
  t.match(text, /\n {2}Token {6}already created\. Make another/)
  t.match(text, '/auth/v1/method/token')
  t.match(text, 'npm start -- --new-token')
  t.notMatch(text, '--fresh')
  t.notMatch(text, 'svc_')
})

t.test('says when the settings hide the first token', async (t) => {
  const text = summarize({ ...first, token: undefined }, plain)
  t.match(text, /\n {2}Token {6}not shown, because of authentication\.methods\.token/)
  t.match(text, 'npm start -- --new-token')
  t.notMatch(text, '--fresh')
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
