import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { spanText } from '../words.ts'
import { type Check, failed, ok, skipped, warning } from './finding.ts'

const timeoutMs = 5000
/** Tokens and logins are compared with clocks that differ by less. */
const maxSkewMs = 30_000
/** From then on a certificate should be renewed. */
const renewBeforeMs = 14 * 86_400_000
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

interface Answer {
  readonly status: number
  readonly ms: number
  readonly date: string | null
  readonly body: unknown
}

async function askReady({ url, signal }: Context): Promise<Answer> {
  const begun = performance.now()
  const signals = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const response = await fetch(`${url}/readyz`, { signal: signals, redirect: 'manual' })
  const body: unknown = await response.json().catch(() => undefined)
  const date = response.headers.get('date')
  return { status: response.status, ms: performance.now() - begun, date, body }
}

export const address: Check = {
  name: 'address',
  async run(context) {
    const { url, signal } = context
    let answer: Answer
    try {
      answer = await askReady(context)
    } catch (error) {
      signal.throwIfAborted()
      return [
        failed(
          `${url} cannot be reached: ${reasonOf(error)}`,
          todoOf(error),
          exitCodes.unavailable,
        ),
      ]
    }
    const { status, ms, date, body } = answer
    const state: unknown = Reflect.get(Object(body), 'status')
    if (status !== 200 || state !== 'ready') {
      return [notReady(url, status, state)]
    }
    return [
      ok(`${url} answers within ${Math.round(ms)} ms, and is ready`),
      ...ageFindings(body),
      clock(date),
    ]
  },
}

function notReady(url: string, status: number, state: unknown) {
  if (typeof state === 'string') {
    return failed(
      `${url} is ${state}`,
      'It waits for its database or for another service: look into its logs.',
      exitCodes.unavailable,
    )
  }
  return failed(
    `${url} answers with HTTP ${status}, and not as this service does`,
    'Is another service at this address, or a login page of a proxy? Give the address that the interface has, with its path.',
  )
}

/** How old is what a gateway answers from. */
function ageFindings(body: unknown) {
  const { flags, auth } = Object(Reflect.get(Object(body), 'parts')) as Record<string, unknown>
  const parts = [
    ['flags', flags, 'resource'],
    ['revocations of tokens', auth, 'auth'],
  ] as const
  const stale = parts.flatMap(([name, part, service]) => {
    const { state, ageSeconds = 0 } = Object(part) as { state?: string; ageSeconds?: number }
    if (state === 'current' || state === undefined) return []
    const text = `the gateway answers from ${name} of ${spanText(ageSeconds * 1000)} ago`
    return [warning(text, `The ${service} service does not reach it: look into the logs of both.`)]
  })
  return stale.length > 0 ? stale : [ok('what it answers from is current')]
}

function clock(date: string | null) {
  const skewMs = date === null ? Number.NaN : Date.now() - Date.parse(date)
  if (Number.isNaN(skewMs)) return ok('the service does not say what time it is')
  if (Math.abs(skewMs) <= maxSkewMs) return ok('the clocks of this machine and the service agree')
  const side = skewMs > 0 ? 'ahead of' : 'behind'
  return warning(
    `this machine is ${spanText(Math.abs(skewMs))} ${side} the service`,
    'Set the clock of the one that is wrong by NTP: logins and expiring tokens depend on it.',
  )
}

export const tls: Check = {
  name: 'TLS',
  async run({ url }) {
    const { protocol, hostname, port } = new URL(url)
    if (protocol === 'http:') {
      if (loopback.test(hostname)) return [ok('not needed on this machine')]
      return [
        warning(
          'tokens and answers are readable on their way',
          'Put a proxy with a certificate in front, and use https://.',
        ),
      ]
    }
    const { validTo, reason, code } = await readCertificate(hostname, Number(port) || 443)
    if (/^(ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ETIMEDOUT)/.test(code ?? '')) {
      return [skipped('there is no connection')]
    }
    if (reason !== undefined)
      return [failed(`the certificate is refused: ${reason}`, todoOfTls(reason))]
    const leftMs = Date.parse(validTo) - Date.now()
    if (leftMs > renewBeforeMs) return [ok(`the certificate is good for ${spanText(leftMs)}`)]
    return [warning(`the certificate ends in ${spanText(leftMs)}`, 'Renew it.')]
  },
}

interface Certificate {
  readonly validTo: string
  /** Why it is refused. */
  readonly reason?: string
  readonly code?: string
}

function readCertificate(host: string, port: number): Promise<Certificate> {
  const bare = host.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const socket = connect({ host: bare, port, ...(isIP(bare) === 0 && { servername: bare }) })
    const end = (found: Certificate) => {
      socket.destroy()
      resolve(found)
    }
    socket.setTimeout(timeoutMs, () => end({ validTo: '', reason: 'no answer', code: 'ETIMEDOUT' }))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const { message, code } = error
      end({ validTo: '', reason: message, ...(code !== undefined && { code }) })
    })
    socket.once('secureConnect', () => end({ validTo: socket.getPeerCertificate().valid_to }))
  })
}

function todoOfTls(reason: string): string {
  return /self.signed|unable to (get|verify)/i.test(reason)
    ? 'If it is of an authority of your own: NODE_EXTRA_CA_CERTS=FILE names its certificate.'
    : 'Renew it, or use the name that it is for.'
}

/** What is below the error of `fetch`. */
function causeOf(error: unknown): { readonly code?: string; readonly message?: string } {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return Object(cause) as { code?: string; message?: string }
}

function reasonOf(error: unknown): string {
  const { code, message } = causeOf(error)
  return code === undefined ? String(message) : `${code}${message ? ` (${message})` : ''}`
}

function todoOf(error: unknown): string {
  switch (causeOf(error).code) {
    case 'ECONNREFUSED':
      return 'Nothing listens there: start the service (`npm start`), or give its address with --url or SVC_URL.'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'There is no host of this name: look at --url and SVC_URL.'
    default:
      return /CERT|SIGNED/.test(causeOf(error).code ?? '')
        ? 'The line TLS says what is wrong with the certificate.'
        : 'Look at the address, and at the firewalls and proxies on the way.'
  }
}
