import { createApi, holderOf, type Session, SvcError } from '@svc/client/api'
import { type Command, defineCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { option } from '../options.ts'
import { type Profile, removeProfile, saveProfile } from '../profiles.ts'
import { timeText } from '../words.ts'

const login = defineCommand({
  name: 'login',
  summary: 'log in at a service, and keep the login',
  description: `Asks for a token, which is not shown as it is typed. Without one it logs in with the browser: a page says what
will happen, and on "Allow" svc gets a token of its own, for 12 hours at most. That ends with the session of the
browser.

The login is kept under the name of --profile in profiles.json of ~/.config/svc, or of $XDG_CONFIG_HOME/svc, which
only you can read. The last one is used where --profile is not given.`,
  options: {
    web: option.flag('--web', 'log in with the browser, without asking for a token'),
    hasBrowser: option.flag(
      '--no-browser',
      'print a link for a browser elsewhere, and ask for a code',
    ),
  },
  makesProfile: true,
  examples: [
    {
      line: 'svc login --url https://flags.example.com',
      text: 'type a token, or press Enter for the browser',
      // Where there is no terminal to ask at, as in a test.
      exitCode: 2,
    },
    {
      line: 'svc tokens create laptop --quiet -o laptop.token && svc login --profile ci --token-file laptop.token',
      text: 'keep a token that is in a file, beside other logins',
    },
  ],
  async run(context, { web, hasBrowser }) {
    const { output, terminal, url } = context
    warnOfPlainHttp(context)
    const { token, isOwnToken } = await getToken(context, web, !hasBrowser)
    const { session, saved, replaced } = await keep(context, { token, isOwnToken })
    // What a login has got ends when the next one takes its place.
    if (replaced !== undefined) await endToken({ ...replaced, name: saved.name }).catch(() => {})
    if (terminal.env.SVC_TOKEN) {
      output.note('SVC_TOKEN is set, and comes before what a login keeps.')
    }
    const who = { url, profile: saved.name, name: holderOf(session.authentication).name, session }
    output.done(
      who,
      () => `Logged in at ${url} as ${who.name}${untilOf(session)} · profile ${saved.name}`,
    )
  },
})

const logout = defineCommand({
  name: 'logout',
  summary: 'forget a login, and end the token that it has got',
  description: `A token that was given to \`svc login\` is only forgotten: others may use it.`,
  options: {
    local: option.flag('--local', 'only forget it here, such as when the service is gone'),
  },
  examples: [
    { line: 'svc logout', text: 'the login that was used last' },
    { line: 'svc logout --local', text: 'when the service is gone' },
  ],
  async run({ output, profile, terminal }, { local }) {
    if (profile === undefined) {
      output.note('There is no login to forget.')
      return
    }
    const { name, url } = profile
    const isEnded = !local && (await endToken(profile))
    await removeProfile(terminal, name)
    output.done({ profile: name, url, isEnded }, () => {
      const stays =
        profile.isOwnToken || profile.token === undefined
          ? ''
          : ' · the token stays good, as it was made by hand'
      return `Logged out at ${url} · profile ${name}${isEnded ? '' : stays}`
    })
  },
})

const whoami = defineCommand({
  name: 'whoami',
  summary: 'say who is logged in, and where',
  examples: [
    { line: 'svc whoami', text: 'by name, with what it may and how long' },
    { line: 'svc whoami --json', text: 'with all that the service knows of it' },
  ],
  async run({ api, output, profile, signal, tokenFrom, url }) {
    const session = await api.sessions.get({}, { signal })
    const { authentication, namespaceKey } = session
    const { name } = holderOf(authentication)
    const { allowedAddresses, expiresAt, id } = authentication
    const who = { url, profile: tokenFrom === 'profile' ? profile?.name : undefined, name, session }
    output.value(who, () => {
      const lines = [
        ['profile', who.profile ?? `none (${origins[tokenFrom]})`],
        ['method', authentication.method.replace('METHOD_', '').toLowerCase()],
        ['namespaces', namespaceKey === '' ? 'all' : `${namespaceKey} alone`],
        ['addresses', allowedAddresses.length === 0 ? 'all' : allowedAddresses.join(', ')],
        ['expires', timeText(expiresAt) || 'never'],
        ['id', id || 'none: it is a token of another issuer'],
      ]
      return [
        `${output.style('bold', name)} at ${url}`,
        ...lines.map(([title = '', text = '']) => `  ${title.padEnd(12)}${text}`),
      ].join('\n')
    })
  },
})

export const commands: readonly Command[] = [login, logout, whoami]

const origins = {
  file: '--token-file',
  argument: '--token',
  environment: 'SVC_TOKEN',
  profile: 'a profile',
  nothing: 'no token',
} as const

interface GotToken {
  readonly token: string
  readonly isOwnToken: boolean
}

async function getToken(context: Context, isWeb: boolean, isByHand: boolean): Promise<GotToken> {
  const { prompts, token, tokenFrom } = context
  const isGiven = tokenFrom === 'file' || tokenFrom === 'argument'
  if (isGiven && (isWeb || isByHand)) {
    throw new CliError(exitCodes.usage, 'a token is given: it needs no browser')
  }
  if (isGiven && token !== undefined) return { token, isOwnToken: false }
  if (!isWeb && !isByHand) {
    const typed = await prompts.secret(
      'Token, or Enter to log in with the browser: ',
      'Use `svc login --token-file FILE`, or `svc login --web` for the browser.',
    )
    if (/\s/.test(typed)) throw new CliError(exitCodes.usage, 'a token is one word')
    if (typed !== '') return { token: typed, isOwnToken: false }
  }
  const { logInByBrowser } = await import('../login/browser-login.ts')
  const { clientToken } = await logInByBrowser(context, isByHand)
  return { token: clientToken, isOwnToken: true }
}

/** A token that was made for this login and cannot be kept ends. */
async function keep(context: Context, { token, isOwnToken }: GotToken) {
  const { namespaceKey: given, profileName, signal, terminal, url } = context
  try {
    const session = await createApi({ url, token }).sessions.get({}, { signal })
    const namespaceKey = session.namespaceKey || given
    const kept = await saveProfile(terminal, profileName, {
      url,
      token,
      ...(namespaceKey !== 'default' && { namespaceKey }),
      ...(isOwnToken && { isOwnToken }),
    })
    return { session, ...kept }
  } catch (error) {
    await endToken({ name: '', url, token, isOwnToken }).catch(() => {})
    throw error
  }
}

/** @returns whether there was one that is no more */
async function endToken({ url, token, isOwnToken = false }: Profile): Promise<boolean> {
  if (token === undefined || !isOwnToken) return false
  try {
    await createApi({ url, token }).sessions.signOut({})
  } catch (error) {
    // It has ended already.
    if (!(error instanceof SvcError) || error.status !== 401) throw error
  }
  return true
}

function untilOf({ authentication: { expiresAt } }: Session): string {
  return expiresAt === undefined ? '' : ` until ${timeText(expiresAt)}`
}

function warnOfPlainHttp({ output, url }: Context): void {
  const { protocol, hostname } = new URL(url)
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  if (protocol === 'http:' && !isHere) {
    output.warn(`others on the way can read what is sent to ${url}: use https`)
  }
}
