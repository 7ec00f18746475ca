import { SvcError } from './api/error.ts'
import type { ConnectOptions, Credential } from './types.ts'

/** Longest wait for the first flags, in milliseconds. */
const defaultReadyTimeoutMs = 5000

const commonNames = [
  'url',
  'namespace',
  'credential',
  'mode',
  'readyTimeoutMs',
  'required',
  'fetch',
  'logger',
] as const

/** Options of the other mode are refused: they would do nothing. */
const namesOf: Readonly<Record<'local' | 'remote', readonly string[]>> = {
  local: [...commonNames, 'lastKnownGood'],
  remote: [...commonNames, 'subject', 'persist'],
}

/** Checks options, which may come from code without types. @throws {SvcError} code 3 */
export function readOptions(options: ConnectOptions, mode: 'local' | 'remote') {
  if (typeof options !== 'object' || options === null) {
    throw invalid('connect() takes an object with `url`')
  }
  for (const [name, value] of Object.entries(options)) {
    if (namesOf[mode].includes(name) || value === undefined) continue
    throw invalid(`there is no option \`${name}\` in ${mode} mode`)
  }
  const { namespace = 'default', readyTimeoutMs = defaultReadyTimeoutMs, required = true } = options
  if (typeof namespace !== 'string' || !/^[-_,A-Za-z0-9]{1,255}$/.test(namespace)) {
    throw invalid(`\`namespace\` is not the key of a namespace: ${JSON.stringify(namespace)}`)
  }
  if (typeof readyTimeoutMs !== 'number' || !(readyTimeoutMs > 0 && readyTimeoutMs < 2 ** 31)) {
    throw invalid('`readyTimeoutMs` must be a number of milliseconds')
  }
  const lastKnownGood: unknown = Reflect.get(options, 'lastKnownGood')
  if (lastKnownGood !== undefined && (typeof lastKnownGood !== 'string' || lastKnownGood === '')) {
    throw invalid('`lastKnownGood` must be the path of a file')
  }
  return {
    url: readUrl(options.url),
    namespace,
    readyTimeoutMs,
    required,
    fetch: options.fetch ?? ((...parameters) => globalThis.fetch(...parameters)),
    logger: options.logger ?? globalThis.console,
  } satisfies object
}

/** @returns without a slash at its end @throws {SvcError} code 3 */
function readUrl(text: unknown): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalid('`url` must be that of the service, such as https://flags.example.com')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalid('`url` must have no credential, no query and no fragment')
  }
  const { origin, pathname } = url
  return origin + (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname)
}

/** Which kind of credential it is. @throws {SvcError} code 3 */
export function readCredential(credential: Credential | undefined): Partial<
  Record<'token' | 'tokenFile', string | undefined>
> & {
  readonly serviceAccount?: object
} {
  if (credential === undefined) return {}
  const known = ['token', 'tokenFile', 'serviceAccount']
  const names = Object.keys(credential).filter(
    (name) => Reflect.get(credential, name) !== undefined,
  )
  const [name = ''] = names
  if (names.length === 0 && 'token' in credential) {
    throw invalid('`credential.token` is undefined: is the environment variable set?')
  }
  if (names.length !== 1 || !known.includes(name)) {
    throw invalid('`credential` must have one of `token`, `tokenFile` and `serviceAccount`')
  }
  const value: unknown = Reflect.get(credential, name)
  if (
    name === 'serviceAccount'
      ? typeof value !== 'object' || value === null
      : typeof value !== 'string'
  ) {
    throw invalid(
      `\`credential.${name}\` must be ${name === 'serviceAccount' ? 'an object' : 'a text'}`,
    )
  }
  return credential
}

export function invalid(message: string): SvcError {
  return new SvcError(message, { status: 0, code: 3 })
}
