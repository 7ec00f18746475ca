import { parseArgs } from 'node:util'
import { AppError } from '@svc/runtime'

export const help = `Starts the feature flag service on this machine.

  npm start -- [options]

  --port N     serve HTTP on this port (8080; 0 takes any that is free)
  --data DIR   keep the data in this directory (./.data)
  --fresh      remove what is in the data directory first
  --demo       load a few flags and segments to look at
  --seed PATH  begin with the flags of a file or folder, as seed.path does
  --json       print log lines in JSON, as it does when not on a terminal
  --new-token  print a new token and end; the service may run meanwhile
  --help       print this

SVC_DB_URL names a PostgreSQL to use in place of the embedded one. Every other
setting is in deploy/config.yml.
`

const options = {
  port: { type: 'string' },
  data: { type: 'string' },
  fresh: { type: 'boolean', default: false },
  demo: { type: 'boolean', default: false },
  seed: { type: 'string' },
  json: { type: 'boolean', default: false },
  'new-token': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** `port` is `undefined` for what the settings say; `newToken` prints one and starts nothing. */
export type StartOptions = ReturnType<typeof readOptions>

/**
 * @param argv what follows the name of the program
 * @param env options before npm's `--` come as `npm_config_…`, as in `npm start --demo`
 * @throws {AppError} `invalid_argument` with one sentence
 */
export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const { values, positionals } = parse([...optionsOfNpm(env), ...argv])
  const { port, data, 'new-token': newToken, ...others } = values
  if (positionals.length > 0) {
    const example = 'Options follow "--", as in: npm start -- --port 8081'
    throw wrong(`Unexpected "${positionals[0]}". ${example}`)
  }
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    throw wrong(`--port takes a number from 0 to 65535, not "${port}".`)
  }
  const useless = (['fresh', 'demo', 'seed', 'port'] as const).find((name) => values[name])
  if (newToken && useless !== undefined) {
    throw wrong(`--new-token starts no service: it does not go with --${useless}.`)
  }
  return { ...others, data, newToken, port: port === undefined ? port : Number(port) }
}

function optionsOfNpm(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(options).flatMap(([name, { type }]) => {
    const value = env[`npm_config_${name.replaceAll('-', '_')}`]
    if (value === undefined || value === '' || name === 'help') return []
    if (type === 'boolean') return value === 'true' ? [`--${name}`] : []
    // `--port 8081` gives "true" and a stray 8081, which is answered above; `--port=8081` works.
    return value === 'true' ? [] : [`--${name}=${value}`]
  })
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // What follows the first sentence is advice for the rare file name with a leading dash.
    const [sentence] = error.message.split(/\.\s/)
    throw wrong(`${sentence}. See: npm start -- --help`)
  }
}

function wrong(sentence: string): AppError {
  return new AppError('invalid_argument', 'invalid_option', sentence)
}
