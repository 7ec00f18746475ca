import { demoNamespaces } from './demo.data.ts'

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
  /** As a person would write them. */
  readonly dataDirectory: string
  readonly logFile: string
  readonly tookMs: number
}

/** The text for a person, in at most 80 columns as long as the token is one of ours. */
export function summarize(facts: StartFacts, paint: (text: string) => string): string {
  const { url, dataDirectory, logFile } = facts
  const rows: [string, string][] = [
    ['URL', url],
    ['API', `${url}/api/v1`],
    ['Docs', `${url}/docs`],
    ['Cache', facts.hasSharedCache ? 'Redis' : 'in-process (SVC_CACHE_REDIS_URL names a Redis)'],
    ['Data', dataDirectory],
    ['Logs', logFile],
    ...tokenRows(facts),
  ]
  const table = rows.map(([name, text]) => `  ${paint(name.padEnd(10))} ${text}`)
  const end = `  Ready in ${seconds(facts.tookMs)}. Ctrl-C ends it.`
  return ['', ...table, '', `  ${paint('Try it')}`, ...examples(facts), '', end, ''].join('\n')
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function tokenRows({ token, isTokenRequired, isNew }: StartFacts): [string, string][] {
  if (token !== undefined) {
    return [
      ['Token', token],
      ['', 'The initial_bootstrap_token. It is shown this once: make your own'],
      ['', 'with it (POST /auth/v1/method/token), then delete it.'],
    ]
  }
  if (!isTokenRequired) return [['Token', 'not needed (authentication.required is false)']]
  if (isNew) {
    return [
      ['Token', 'not shown, because of log.level or authentication.methods.token.'],
      ['', 'Correct the settings, or print one with: npm start -- --new-token'],
    ]
  }
  return [
    ['Token', 'already created. Make another with it, as shown below, or print one'],
    ['', 'with: npm start -- --new-token'],
  ]
}

interface Example {
  readonly title: string
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: object
}

function examples(facts: StartFacts): string[] {
  const { token, isTokenRequired } = facts
  const authorization = isTokenRequired ? ['-H "Authorization: Bearer $SVC_TOKEN"'] : []
  const hold =
    token === undefined ? '# SVC_TOKEN is your token' : `export SVC_TOKEN=${quoted(token)}`
  const known = isTokenRequired ? [`    ${hold}`] : []
  const lines = chooseExamples(facts).flatMap(({ title, method, path, body }) => {
    const sends = body === undefined ? [] : [`-d ${quotedJson(body)}`]
    // curl sends a body with POST when told nothing else.
    const verb = method === 'PUT' ? ['-X PUT'] : []
    const parts = [`curl ${facts.url}${path}`, ...verb, ...authorization, ...sends]
    return ['', `    # ${title}`, `    ${parts.join(' \\\n      ')}`]
  })
  return [...known, ...lines]
}

function quoted(token: string): string {
  return /^[\w.-]+$/.test(token) ? token : inQuotes(token)
}

/** Longest body that fits into 80 columns beside `-d`. */
const maxLine = 70

/** A longer one has a line for each member. */
function quotedJson(body: object): string {
  const line = JSON.stringify(body)
  if (line.length <= maxLine) return inQuotes(line)
  return inQuotes(JSON.stringify(body, null, 1).replace(/\n ?(?=.)/g, '\n        '))
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

const flags = '/api/v1/namespaces/default/flags'

/** They answer 200, whether it is the first start or a later one. */
function chooseExamples({ token, hasDemo }: StartFacts): Example[] {
  if (hasDemo) return demoExamples
  return token === undefined ? laterExamples : firstExamples
}

const firstExamples: Example[] = [
  {
    title: 'create a flag',
    method: 'POST',
    path: flags,
    body: { key: 'hello', name: 'Hello', type: 'BOOLEAN_FLAG_TYPE' },
  },
  {
    title: 'turn it on (PUT replaces everything)',
    method: 'PUT',
    path: `${flags}/hello`,
    body: { name: 'Hello', enabled: true },
  },
  {
    title: 'evaluate it',
    method: 'POST',
    path: '/evaluate/v1/boolean',
    body: { flagKey: 'hello', entityId: 'user-42' },
  },
]

/** What PUT has to send again of a demo flag, for it replaces everything. */
function textsOf(key: string): object {
  const flags = demoNamespaces.flatMap((namespace) => namespace.flags)
  const { name, description } = flags.find((flag) => flag.key === key) ?? {}
  return { name, description }
}

const demoExamples: Example[] = [
  {
    title: 'turn a flag on (PUT replaces everything)',
    method: 'PUT',
    path: `${flags}/beta-banner`,
    body: { ...textsOf('beta-banner'), enabled: true },
  },
  {
    title: 'who gets the new checkout?',
    method: 'POST',
    path: '/evaluate/v1/boolean',
    body: { flagKey: 'new-checkout', entityId: 'user-42' },
  },
  {
    title: 'which colours does a customer in Germany see?',
    method: 'POST',
    path: '/evaluate/v1/variant',
    body: { flagKey: 'theme-color', entityId: '42', context: { country: 'DE' } },
  },
]

const laterExamples: Example[] = [
  { title: 'list the flags', method: 'GET', path: flags },
  {
    title: 'make another token',
    method: 'POST',
    path: '/auth/v1/method/token',
    body: { name: 'mine' },
  },
]
