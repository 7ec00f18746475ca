import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { CliError, exitCodes } from './exit-codes.ts'
import type { GlobalValues } from './global-options.ts'
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
  readonly namespaceKey: string
  readonly profile: Profile | undefined
  /** `--profile`, also of one that is not there yet. */
  readonly profileName?: string | undefined
}

const defaultUrl = 'http://localhost:8080'

/**
 * Options come before the environment, and that before the profile.
 *
 * @param makesProfile whether the profile need not be there
 */
export async function findConnection(
  terminal: Terminal,
  given: GlobalValues,
  output: Output,
  makesProfile = false,
): Promise<Connection> {
  const { env } = terminal
  const profileName = given.profile
  const profile = await findProfile(terminal, profileName, makesProfile)
  const url = toUrl(given.url ?? (env.SVC_URL || undefined) ?? profile?.url ?? defaultUrl)
  const namespaceKey =
    given.namespace ?? (env.SVC_NAMESPACE || undefined) ?? profile?.namespaceKey ?? 'default'
  return {
    url,
    namespaceKey,
    profile,
    profileName,
    ...(await findToken(terminal, given, output, profile, url)),
  }
}

async function findToken(
  terminal: Terminal,
  given: GlobalValues,
  output: Output,
  profile: Profile | undefined,
  url: string,
): Promise<Pick<Connection, 'token' | 'tokenFrom'>> {
  const { tokenFile, token } = given
  if (tokenFile !== undefined && token !== undefined) {
    throw new CliError(
      exitCodes.usage,
      '--token-file and --token are given, and there is one token',
    )
  }
  if (tokenFile !== undefined) {
    return { token: await readToken(terminal, tokenFile), tokenFrom: 'file' }
  }
  if (token !== undefined) {
    output.warn(
      'others on this machine can read a token in the arguments of a process: use --token-file FILE or SVC_TOKEN',
    )
    return { token, tokenFrom: 'argument' }
  }
  if (terminal.env.SVC_TOKEN) return { token: terminal.env.SVC_TOKEN, tokenFrom: 'environment' }
  // A profile's token goes to the service that it is for, and to no other one.
  if (profile?.token !== undefined && toUrl(profile.url) === url) {
    return { token: profile.token, tokenFrom: 'profile' }
  }
  return { token: undefined, tokenFrom: 'nothing' }
}

/** A token is far shorter: more is another file. */
const maxTokenLength = 16_384

async function readToken({ stdin }: Terminal, file: string): Promise<string> {
  const name = file === '-' ? 'stdin' : file
  let content: string
  try {
    content = file === '-' ? await text(stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw new CliError(exitCodes.usage, `the token cannot be read: ${(error as Error).message}`)
  }
  const token = content.trim()
  if (token === '') throw new CliError(exitCodes.usage, `${name} is empty, and should hold a token`)
  if (token.length > maxTokenLength || /\s/.test(token)) {
    throw new CliError(
      exitCodes.usage,
      `${name} holds no token: it has several words or is too long`,
    )
  }
  return token
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
