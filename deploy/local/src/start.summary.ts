import { demoNamespaces } from './demo.ts'

/** What there is to know once everything runs. */
export interface StartFacts {
  /** Without a path: `http://localhost:8080`. */
  readonly url: string
  /** The first token, if this start created it: it is shown this once. */
  readonly token: string | undefined
  /** Whether requests need a token at all. */
  readonly isTokenRequired: boolean
  /** Whether this start made the database. If it shows no token even so, the settings forbid it. */
  readonly isNew: boolean
  readonly hasDemo: boolean
  readonly hasSharedCache: boolean
  /** As one would type it. */
  readonly dataDirectory: string
  readonly logFile: string
  readonly tookMs: number
}

/** The text for a terminal, in at most 80 columns unless a path or the token is longer. */
export function summarize(facts: StartFacts, paint: (text: string) => string): string {
  const { url, dataDirectory, logFile } = facts
  const rows: [string, string][] = [
    ['URL', url],
    ['API', `${url}/api/v1`],
    ['Docs', `${url}/docs`],
    ['Cache', facts.hasSharedCache ? 'Redis' : 'in-process (SVC_CACHE_REDIS_URL names a Redis)'],
    ['Data', dataDirectory],
    ['Logs', logFile],
    ...tokenLines(facts).map((text, i): [string, string] => [i === 0 ? 'Token' : '', text]),
  ]
  const table = rows.map(([name, text]) => `  ${paint(name.padEnd(10))} ${text}`)
  const end = `  Ready in ${seconds(facts.tookMs)}. Ctrl-C ends it.`
  return ['', ...table, '', `  ${paint('Try it')}`, ...examples(facts), '', end, ''].join('\n')
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function tokenLines({ token, isTokenRequired, isNew }: StartFacts): string[] {
  if (token !== undefined) {
    return [
      token,
      'The initial_bootstrap_token. It is shown this once: make your own',
      'with it (POST /auth/v1/method/token), then delete it.',
    ]
  }
  if (!isTokenRequired) return ['not needed (authentication.required is false)']
  if (isNew) {
    return [
      'not shown, because of authentication.methods.token.',
      'Correct the settings, or print one with: npm start -- --new-token',
    ]
  }
  return [
    'already created. Make another with it, as shown below, or print one',
    'with: npm start -- --new-token',
  ]
}

function examples(facts: StartFacts): string[] {
  const { url, token, isTokenRequired } = facts
  const hold =
    token === undefined ? '# SVC_TOKEN is your token' : `export SVC_TOKEN=${quote(token)}`
  const commands = chooseExamples(facts).flatMap(([title, path, body]) => {
    const parts = [
      `curl ${url}${path}`,
      // What the examples name exists already: curl without -X would create it again.
      ...(body !== undefined && path.startsWith(`${flags}/`) ? ['-X PUT'] : []),
      ...(isTokenRequired ? ['-H "Authorization: Bearer $SVC_TOKEN"'] : []),
      ...(body === undefined ? [] : [`-d ${quoteJson(body)}`]),
    ]
    return ['', `    # ${title}`, `    ${parts.join(' \\\n      ')}`]
  })
  return isTokenRequired ? [`    ${hold}`, ...commands] : commands
}

/** Longest body that fits into 80 columns beside `-d`. */
const maxLine = 70

/** A longer one has a line for each member. */
function quoteJson(body: object): string {
  const line = JSON.stringify(body)
  if (line.length <= maxLine) return quote(line)
  return quote(JSON.stringify(body, null, 1).replace(/\n ?(?=.)/g, '\n        '))
}

/** Quotes a word for a shell, where it needs that. */
function quote(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

type Example = [title: string, path: string, body?: object]

const flags = '/api/v1/namespaces/default/flags'

/** All of them answer 200, at the first start and at later ones. */
function chooseExamples({ token, hasDemo }: StartFacts): Example[] {
  if (hasDemo) return demoExamples
  if (token !== undefined) return firstExamples
  return [
    ['list the flags', flags],
    ['make another token', '/auth/v1/method/token', { name: 'mine' }],
  ]
}

const evaluate = '/evaluate/v1/boolean'

const firstExamples: Example[] = [
  ['create a flag', flags, { key: 'hello', name: 'Hello', type: 'BOOLEAN_FLAG_TYPE' }],
  ['turn it on (PUT replaces everything)', `${flags}/hello`, { name: 'Hello', enabled: true }],
  ['evaluate it', evaluate, { flagKey: 'hello', entityId: 'user-42' }],
]

const banner = demoNamespaces[0]?.flags.find(({ key }) => key === 'beta-banner')

const demoExamples: Example[] = [
  [
    'turn a flag on (PUT replaces everything)',
    `${flags}/beta-banner`,
    { name: banner?.name, description: banner?.description, enabled: true },
  ],
  ['who gets the new checkout?', evaluate, { flagKey: 'new-checkout', entityId: 'user-42' }],
  [
    'which colours does a customer in Germany see?',
    '/evaluate/v1/variant',
    { flagKey: 'theme-color', entityId: '42', context: { country: 'DE' } },
  ],
]
