/** What there is to know once everything runs. */
export interface StartFacts {
  /** Without a path: `http://localhost:8080`. */
  readonly url: string
  /** Whether the web interface is there, at the URL. */
  readonly hasInterface: boolean
  /** The first token, if this start created it: it is shown this once. */
  readonly token: string | undefined
  /** Whether requests need a token at all. */
  readonly isTokenRequired: boolean
  readonly hasDemo: boolean
  readonly hasSharedCache: boolean
  /** As one would type it. */
  readonly dataDirectory: string
  readonly logFile: string
  readonly tookMs: number
}

/** The text for a terminal, in at most 80 columns unless a path or the token is longer. */
export function summarize(facts: StartFacts, paint: (text: string) => string): string {
  const { url, hasInterface } = facts
  const rows = Object.entries({
    [hasInterface ? 'Interface' : 'URL']: url,
    Token: describeToken(facts).join(`\n${' '.repeat(13)}`),
    API: `${url}/api/v1`,
    Docs: `${url}/docs`,
    Cache: facts.hasSharedCache ? 'Redis' : 'in-process (SVC_CACHE_REDIS_URL names a Redis)',
    Data: facts.dataDirectory,
    Logs: facts.logFile,
  })
  const table = rows.map(([name, text]) => `  ${paint(name.padEnd(10))} ${text}`)
  const end = `  Ready in ${seconds(facts.tookMs)}. Ctrl-C ends it.`
  return ['', ...table, '', `  ${paint('Try it')}`, ...examples(facts), '', end, ''].join('\n')
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function describeToken({ token, isTokenRequired, hasInterface }: StartFacts): string[] {
  if (token !== undefined) {
    return [
      token,
      ...(hasInterface
        ? [
            'Sign in with it. It is the initial_bootstrap_token, shown once:',
            'make your own under Tokens, then delete it.',
          ]
        : [
            'The initial_bootstrap_token. It is shown this once: make your own',
            'with it (POST /auth/v1/method/token), then delete it.',
          ]),
    ]
  }
  if (!isTokenRequired) return ['not needed (authentication.required is false)']
  return [
    'already created, or not shown because of the settings. Make another',
    'with it, as shown below, or with: npm start -- --new-token',
  ]
}

function examples(facts: StartFacts): string[] {
  const { url, token, isTokenRequired } = facts
  const value = token?.replaceAll("'", `'\\''`)
  const first = value === undefined ? '# SVC_TOKEN is your token' : `export SVC_TOKEN='${value}'`
  const commands = chooseExamples(facts).flatMap(([title, path, ...options]) => {
    const header = isTokenRequired ? ['-H "Authorization: Bearer $SVC_TOKEN"'] : []
    const command = [`curl ${url}${path}`, ...header, ...options].join(' \\\n      ')
    return ['', `    # ${title}`, `    ${command}`]
  })
  return isTokenRequired ? [`    ${first}`, ...commands] : commands
}

/** What it shows, the path, and the options of curl. */
type Example = readonly string[]

/** All of them answer 200, at the first start and at later ones. */
function chooseExamples({ token, hasDemo }: StartFacts): Example[] {
  if (hasDemo) return demoExamples
  return token === undefined ? laterExamples : firstExamples
}

const flags = '/api/v1/namespaces/default/flags'
const evaluate = '/evaluate/v1/boolean'
const turnOn = 'turn it on (PUT replaces everything)'

const firstExamples: Example[] = [
  ['create a flag', flags, `-d '{"key":"hello","name":"Hello","type":"BOOLEAN_FLAG_TYPE"}'`],
  [turnOn, `${flags}/hello`, '-X PUT', `-d '{"name":"Hello","enabled":true}'`],
  ['evaluate it', evaluate, `-d '{"flagKey":"hello","entityId":"user-42"}'`],
]

const laterExamples: Example[] = [
  ['list the flags', flags],
  ['make another token', '/auth/v1/method/token', `-d '{"name":"mine"}'`],
]

const demoExamples: Example[] = [
  ['who gets the new checkout?', evaluate, `-d '{"flagKey":"new-checkout","entityId":"user-42"}'`],
  [
    'which colours does a customer in Germany see?',
    '/evaluate/v1/variant',
    `-d '{"flagKey":"theme-color","entityId":"42","context":{"country":"DE"}}'`,
  ],
  [
    'turn a flag on (PUT replaces everything)',
    `${flags}/beta-banner`,
    '-X PUT',
    `-d '{"name":"Beta banner","description":"On for all.","enabled":true}'`,
  ],
]
