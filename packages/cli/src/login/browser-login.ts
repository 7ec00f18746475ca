import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { type CliToken, createApi, SvcError } from '@svc/client/api'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { listenOnLoopback } from './loopback.ts'
import { browserCommand, openBrowser } from './open-browser.ts'

/** How long to wait for the person, in milliseconds: they may have to sign in first. */
const timeoutMs = 300_000

/** How long the page may take, in milliseconds. */
const pageTimeoutMs = 10_000

/** How often a code may be typed. */
const maxTries = 3

/**
 * Gets a token with the help of a browser that is signed in (RFC 7636, RFC 8252 section 7.3).
 *
 * @param isByHand whether the person opens the link elsewhere and types the code
 */
export async function logInByBrowser(context: Context, isByHand: boolean): Promise<CliToken> {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  await expectPage(context)
  const login = { ...context, verifier, challenge }
  return isByHand || !canOpen(context) ? askForCode(login) : waitForBrowser(login)
}

interface Login extends Context {
  readonly verifier: string
  readonly challenge: string
}

async function waitForBrowser(login: Login): Promise<CliToken> {
  const { challenge, progress, signal, terminal, url } = login
  const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const loopback = await listenOnLoopback(challenge, ending)
  let result = 'failed'
  try {
    const link = linkOf(login, loopback.port)
    say(login, `Opening ${link}`)
    if (!(await openBrowser(link, terminal.env)))
      say(login, 'No browser was opened: open the link.')
    const answer = await progress
      .show('waiting for the browser', () => loopback.answer)
      .catch((error: unknown) => {
        throw signal.aborted ? error : tooLate()
      })
    if ('error' in answer) {
      throw new CliError(exitCodes.notAllowed, 'it was not allowed in the browser')
    }
    const token = await exchange(login, answer.code)
    result = 'done'
    return token
  } finally {
    await loopback.close(`${url}/cli-login#result=${result}`)
  }
}

async function askForCode(login: Login): Promise<CliToken> {
  const { prompts, output } = login
  say(login, `Open this in any browser, and allow it:\n\n  ${linkOf(login)}\n`)
  for (let tries = 1; ; tries += 1) {
    const code = await prompts.line(
      'Code: ',
      'Run it in a terminal, or log in with a token: `svc login --token-file FILE`.',
    )
    try {
      return await exchange(login, code)
    } catch (error) {
      if (!isWrongCode(error) || tries === maxTries) throw error
      output.error((error as CliError).message)
    }
  }
}

async function exchange({ url, verifier, signal }: Login, code: string): Promise<CliToken> {
  try {
    // Without a token that an earlier login has left.
    return await createApi({ url }).cli.exchangeCliCode({ code, verifier }, { signal })
  } catch (error) {
    if (!(error instanceof SvcError) || (error.status !== 401 && error.status !== 400)) throw error
    throw new CliError(
      exitCodes.notAllowed,
      'the code is mistyped, older than a minute, or of another login',
      'Run `svc login` again for a new one.',
      { cause: error },
    )
  }
}

const isWrongCode = (error: unknown) => error instanceof CliError && error.cause !== undefined

/** In the fragment: it reaches no server, and no log. @param port left out: the page shows the code */
function linkOf({ url, challenge }: Login, port?: number): string {
  const host = [...hostname()].slice(0, 100).join('')
  const fields = { challenge, ...(port !== undefined && { port: `${port}` }), host }
  return `${url}/cli-login#${new URLSearchParams(fields)}`
}

/** A browser elsewhere cannot reach a port of this machine. */
function canOpen({ terminal, output }: Context): boolean {
  if (browserCommand('', terminal.env) !== undefined) return true
  output.note('There is no browser on this machine.')
  return false
}

/** @throws {CliError} when the service has no page to log in with */
async function expectPage({ url, signal }: Context): Promise<void> {
  // Says what is wrong when there is no service.
  await createApi({ url }).methods.list({}, { signal })
  const response = await fetch(`${url}/cli-login`, {
    headers: { accept: 'text/html' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(pageTimeoutMs)]),
  })
  await response.body?.cancel()
  if (response.ok) return
  throw new CliError(
    exitCodes.failed,
    'the web interface of this service is turned off, so there is no page to log in with',
    'Log in with a token: `svc login --token-file FILE`.',
  )
}

/** What the person has to see, also with `--quiet`. */
function say({ terminal }: Context, text: string): void {
  terminal.stderr.write(`${text}\n`)
}

function tooLate(): CliError {
  return new CliError(
    exitCodes.failed,
    'the browser has not answered within five minutes',
    'Run `svc login` again, or `svc login --no-browser` to type a code.',
  )
}
