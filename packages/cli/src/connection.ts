import { CliError, exitCodes } from './exit-codes.ts'
import type { GlobalValues } from './global-options.ts'
import { readInput } from './input.ts'
import type { Output } from './output.ts'
import { findProfile, type Profile } from './profiles.ts'
import type { Terminal } from './terminal.ts'

/** Where a command goes, as whom, and in which namespace. */
export interface Connection {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string | undefined
  /** Where the token is from, for people. */
  readonly tokenFrom: 'file' | 'argument' | 'environment' | 'profile' | 'nothing'
  /** `--token-file`. */
  readonly tokenFile?: string | undefined
  readonly namespaceKey: string
  readonly profile: Profile | undefined
  /** `--profile`, also of one that is not there yet. */
  readonly profileName?: string | undefined
}

/** Where a token is from, in a sentence. */
export const tokenOrigins: Readonly<Record<Exclude<Connection['tokenFrom'], 'nothing'>, string>> = {
  file: 'the token of --token-file',
  argument: 'the token of --token',
  environment: 'the token of SVC_TOKEN',
  profile: 'the token of the profile',
}

const defaultUrl = 'http://localhost:8080'

/**
 * Options come before the environment, and that before the profile of the last login; a profile that is named by
 * an option comes before the environment as well.
 *
 * @param makesProfile whether the profile need not be there
 */
export async function findConnection(
  terminal: Terminal,
  given: GlobalValues,
  output: Output,
  makesProfile = false,
): Promise<Connection> {
  const profileName = given.profile
  const env = (name: string) => terminal.env[name] || undefined
  const givenUrl = given.url ?? env('SVC_URL')
  const profile = await findProfile(terminal, profileName, {
    mayBeNew: makesProfile,
    mayBeUnread: givenUrl !== undefined,
  })
  const named = profileName === undefined ? undefined : profile
  const url = toUrl(given.url ?? named?.url ?? givenUrl ?? profile?.url ?? defaultUrl)
  // Of a script whose variable is not set: to write to another namespace than was meant is worse.
  if (given.namespace === '') throw new CliError(exitCodes.usage, '--namespace is given, and empty')
  const namespaceKey =
    given.namespace ??
    named?.namespaceKey ??
    env('SVC_NAMESPACE') ??
    profile?.namespaceKey ??
    'default'
  // A profile's token goes to the service that it is for, and to no other one.
  const ofProfile = profile !== undefined && toUrl(profile.url) === url ? profile.token : undefined
  const found =
    (await findGivenToken(terminal, given, output)) ??
    toFound(named && ofProfile, 'profile') ??
    toFound(env('SVC_TOKEN'), 'environment') ??
    toFound(ofProfile, 'profile')
  const { token, tokenFrom } = checkToken(found ?? { token: undefined, tokenFrom: 'nothing' })
  const { tokenFile } = given
  return { url, namespaceKey, profile, profileName, token, tokenFrom, tokenFile }
}

type Found = Pick<Connection, 'token' | 'tokenFrom'>

function toFound(token: string | undefined, tokenFrom: Found['tokenFrom']): Found | undefined {
  return token === undefined ? undefined : { token, tokenFrom }
}

async function findGivenToken(
  terminal: Terminal,
  { tokenFile, token }: GlobalValues,
  output: Output,
): Promise<Found | undefined> {
  if (tokenFile !== undefined && token !== undefined) {
    throw new CliError(
      exitCodes.usage,
      '--token-file and --token are given, and there is one token',
    )
  }
  if (tokenFile !== undefined) {
    return { token: await readTokenFile(terminal, tokenFile), tokenFrom: 'file' }
  }
  if (token === undefined) return undefined
  output.warn(
    'others on this machine can read a token in the arguments of a process: use --token-file FILE or SVC_TOKEN',
  )
  return { token, tokenFrom: 'argument' }
}

/** A token is far shorter: more is another file. */
const maxTokenBytes = 2 ** 14

/** @throws {CliError} for a file without a token that can be sent */
export async function readTokenFile(
  terminal: Pick<Terminal, 'stdin'>,
  file: string,
): Promise<string> {
  const token = (await readInput(terminal, file, maxTokenBytes)).trim()
  if (token !== '') return checkToken({ token, tokenFrom: 'file' }).token
  throw new CliError(
    exitCodes.usage,
    `${file === '-' ? 'stdin' : file} is empty, and should hold a token`,
  )
}

/** What cannot be sent is refused here: the error of a header would have it in its text. */
function checkToken<F extends Found>(found: F): F {
  const { token = '', tokenFrom } = found
  if (/^[\x21-\x7e]*$/.test(token)) return found
  const origin = tokenFrom === 'nothing' ? 'the token' : tokenOrigins[tokenFrom]
  throw new CliError(
    exitCodes.usage,
    `${origin} is no token: it has spaces, line breaks or other characters that none has`,
  )
}

/** @throws {CliError} when it is no URL of HTTP */
function toUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '') {
    if (url.username !== '' || url.password !== '') {
      throw new CliError(
        exitCodes.usage,
        'the URL has a user name or password in it',
        'Use --token-file FILE or SVC_TOKEN.',
      )
    }
    return `${url.origin}${url.pathname}`.replace(/\/$/, '')
  }
  throw new CliError(
    exitCodes.usage,
    `"${given}" is no address of the service`,
    `It begins with http:// or https://, such as ${defaultUrl}.`,
  )
}
