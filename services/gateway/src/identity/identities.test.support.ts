// An auth service in the hand of a test, and the callers that ask it.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ticketMac } from '@svc/access'
import { Authentication } from '@svc/proto/auth/v1/authentications'
import {
  type Identity,
  IdentityServiceDefinition,
  type WatchRevocationsResponse,
} from '@svc/proto/auth/v1/identities'
import { RpcChannel, RpcServer, unprotected } from '@svc/rpc'
import { AppError } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import { pino } from 'pino'
import type { Test as TapTest } from 'tap'
import { hashToken } from './credential.ts'
import { Identities } from './identities.ts'
import type { Ticket } from './ticket.ts'

type Test = Pick<TapTest, 'teardown'>

const log = pino({ level: 'silent' })
export const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** The id of a token is here the token itself. */
export const identityOf = (token: string, expiresInMs?: number): Identity => ({
  authentication: Authentication.fromPartial({ id: token }),
  namespaceKey: '',
  name: token,
  principal: token,
  tokenHash: sha256(token),
  expiresInMs,
  isSession: false,
})

/** Something that speaks the auth service's protocol, with the answers in the test's hand. */
async function startAuth(t: Test) {
  const asked: string[] = []
  const auth = {
    asked,
    answer: async (token: string): Promise<Identity> => identityOf(token),
    refuse: async (): Promise<Identity> => {
      throw new AppError('unauthenticated', 'unauthenticated', 'request was not authenticated')
    },
    revocations: [] as Buffer[][],
    heartbeats: true,
    address: '',
    stop: async () => {},
    start: async () => {},
  }
  const listen = async (address: string) => {
    const server = new RpcServer({ log, protection: unprotected }).add(IdentityServiceDefinition, {
      authenticate({ clientToken }) {
        asked.push(clientToken)
        return auth.answer(clientToken)
      },
      authenticateTicket({ tokenId, namespaceKey, mac }) {
        asked.push(`ticket of ${tokenId}`)
        const isGood = ticketMac(sha256(tokenId), namespaceKey).equals(mac)
        return isGood ? auth.answer(tokenId) : auth.refuse()
      },
      reportUses: async () => ({}),
      async *watchRevocations(_request, { signal }): AsyncGenerator<WatchRevocationsResponse> {
        while (!signal.aborted) {
          const tokenHashes = auth.revocations.shift() ?? []
          if (auth.heartbeats || tokenHashes.length > 0) yield { tokenHashes }
          await sleep(10)
        }
      },
    })
    auth.address = `127.0.0.1:${await server.listen(address)}`
    auth.stop = () => server.close()
  }
  await listen('127.0.0.1:0')
  auth.start = () => listen(auth.address)
  t.teardown(() => auth.stop())
  return auth
}

export async function open(t: Test, options: { follow: boolean; maxStaleMs?: number }) {
  const auth = await startAuth(t)
  const channel = new RpcChannel(auth.address, { name: 'the auth service' })
  const clock = { skippedMs: 0 }
  const identities = new Identities(channel, log, {
    maxStaleMs: options.maxStaleMs ?? 120_000,
    now: () => clock.skippedMs,
  })
  const end = new AbortController()
  const following = options.follow ? identities.follow(end.signal) : undefined
  t.teardown(async () => {
    end.abort()
    await following
    channel.close()
  })
  if (options.follow) await waitFor(() => identities.isFollowing)
  return { auth, identities, clock }
}

export const sender = { address: '192.0.2.1' }
export const refused = { code: 'unauthenticated' }
export const outage = { code: 'unavailable' }

export const tokenOf = (token: string) => ({ token, tokenHash: hashToken(token) })

export const identify = async (identities: Identities, token: string, forEvaluation: boolean) =>
  identities.identify(tokenOf(token), forEvaluation, sender)

export const identifyTicket = async (
  identities: Identities,
  ticket: Ticket,
  namespaceKey: string,
) => identities.identifyTicket(ticket, namespaceKey, sender)

/** An auth service that cannot say. */
export const away = async () => {
  throw new AppError('unavailable', 'unavailable', 'try again')
}
