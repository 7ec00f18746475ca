import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { ticketMac } from '@svc/access'
import { Authentication } from '@svc/proto/auth/v1/authentications'
import { Identity } from '@svc/proto/auth/v1/identities'
import type { RpcChannel } from '@svc/rpc'
import { fakeTime } from '@svc/runtime/testing'
import { pino } from 'pino'
import t from 'tap'
import { hashToken } from './credential.ts'
import { anonymous, Identities } from './identities.ts'
import type { Sender } from './lookups.ts'

const here: Sender = { address: '192.0.2.1' }
const elsewhere: Sender = { address: '198.51.100.1' }

const tooMany = {
  code: 'unavailable',
  message: 'too many credentials that are not known, try again in a second',
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Identities over an auth service that answers each call when the test says so. Its clock is faked. */
function open(t: Parameters<typeof fakeTime>[0]) {
  const tick = fakeTime(t)
  const asked: string[] = []
  const refused: string[] = []
  const open: { name: string; end: () => void }[] = []
  const ask = (name: string, identity: Partial<Identity>) => {
    asked.push(name)
    const { promise, resolve } = Promise.withResolvers<Identity>()
    open.push({ name, end: () => resolve(Identity.fromPartial(identity)) })
    return promise
  }
  /** The id of a token is here the token itself. */
  const identityOf = (token: string) => ({
    authentication: Authentication.fromPartial({ id: token }),
    name: token,
    tokenHash: token === '' ? Buffer.of() : sha256(token),
  })
  const client = {
    authenticate: ({ clientToken }: { clientToken: string }) =>
      ask(clientToken, { ...identityOf(clientToken), assertion: 'of auth' }),
    authenticateTicket: ({ tokenId }: { tokenId: string }) =>
      ask(`ticket of ${tokenId}`, identityOf(tokenId)),
  }
  const channel = { client: () => client } as unknown as RpcChannel
  const log = pino({ level: 'silent' })
  const identities = new Identities(channel, log, { maxStaleMs: 120_000 })
  const identify = (token: string, sender: Sender = here, forEvaluation = false) => {
    const found = identities.identify({ token, tokenHash: hashToken(token) }, forEvaluation, sender)
    if (found instanceof Promise) found.catch(() => refused.push(token))
    return found
  }
  /** Answers the first call that has this name, or the first of all. */
  const answer = async (name?: string) => {
    await turn()
    const place = name === undefined ? 0 : open.findIndex((one) => one.name === name)
    open.splice(place, 1)[0]?.end()
    await turn()
  }
  return {
    asked,
    refused,
    identities,
    tick,
    identify,
    /** As many lookups of tokens that are not known. */
    async flood(count: number, sender = here, name = 'unknown') {
      const all = Array.from({ length: count }, (_, i) => identify(`${name} ${i}`, sender))
      await turn()
      // One that is refused has waited for its turn.
      await turn()
      return all
    },
    ticket: (tokenId: string, sender: Sender | undefined = here) =>
      identities.identifyTicket(
        { tokenId, mac: ticketMac(sha256(tokenId), 'shop') },
        'shop',
        sender,
      ),
    answer,
    /** Makes a token known, for so long that auth has to confirm it. */
    async know(token: string) {
      const found = identify(token)
      await answer(token)
      await found
      await tick(1001)
      asked.length = 0
    },
  }
}

t.test(
  'a token and its ticket do not share a call: auth vouches for the token alone',
  async (t) => {
    for (const names of [
      ['ticket of a', 'a'],
      ['a', 'ticket of a'],
    ]) {
      const [first = '', second = ''] = names
      for (const order of [names, names.toReversed()]) {
        await t.test(`${first} before ${second}, answered ${order.join()}`, async (t) => {
          const { answer, asked, identify, know, ticket } = open(t)
          await know('a')
          const look = (name: string) => (name === 'a' ? identify('a') : ticket('a'))
          const found = new Map([first, second].map((name) => [name, look(name)]))
          t.strictSame(asked, [first, second])
          for (const name of order) await answer(name)
          t.match(await found.get('a'), { assertion: 'of auth' })
          t.match(await found.get('ticket of a'), { name: 'a' })
          t.match(identify('a'), { assertion: 'of auth' }, 'which the ticket leaves as it is')
          t.equal(asked.length, 2)
        })
      }
    }
  },
)

t.test('lookups of tokens that are not known are limited', async (t) => {
  await t.test('for each network, and another one is served', async (t) => {
    const { asked, flood, identify } = open(t)
    await flood(40)
    t.equal(asked.length, 32)
    void identify('another', elsewhere)
    await turn()
    t.strictSame(asked.splice(32), ['another'])
    await flood(40, { address: '203.0.113.1' }, 'third')
    t.equal(asked.length, 63, 'up to the limit of all networks')
  })

  await t.test('addresses of one IPv6 network count together', async (t) => {
    const { asked, flood } = open(t)
    await flood(31, { address: '2001:db8::1' }, 'one')
    await flood(31, { address: '2001:db8::2' }, 'two')
    t.equal(asked.length, 32)
  })

  await t.test('what waits is sent when a call ends', async (t) => {
    const { answer, asked, flood, identify } = open(t)
    await flood(32)
    const waiting = identify('waiting')
    await turn()
    t.notOk(asked.includes('waiting'))
    await answer()
    t.equal(asked.at(-1), 'waiting')
    await answer('waiting')
    t.match(await waiting, { name: 'waiting' })
  })

  await t.test('what waits for a second is refused', async (t) => {
    const { asked, flood, identify, refused, tick } = open(t)
    await flood(32)
    const waiting = identify('waiting')
    await tick(999)
    t.strictSame(refused, [])
    await tick(1)
    await t.rejects(Promise.resolve(waiting), tooMany)
    t.equal(asked.length, 32)
  })

  await t.test('one too many is refused, which is no outage of auth', async (t) => {
    const { answer, asked, flood, identify, know, refused } = open(t)
    await know('known')
    const all = await flood(533)
    t.equal(asked.length, 32)
    t.strictSame(refused, ['unknown 532'])
    await t.rejects(Promise.resolve(all.at(-1)), tooMany)
    const known = identify('known', here, true)
    t.type(known, Promise, 'as what is known would be used in an outage')
    await answer('known')
    t.match(await known, { name: 'known' })
    void identify('another', elsewhere)
    await turn()
    t.equal(asked.at(-1), 'another')
  })

  await t.test('so many of all networks wait', async (t) => {
    const { asked, flood, refused } = open(t)
    await flood(532, here, 'first')
    await flood(532, elsewhere, 'second')
    t.strictSame([asked.length, refused], [64, []])
    await flood(1, { address: '203.0.113.1' }, 'third')
    t.strictSame(refused, ['third 0'])
  })

  await t.test('requests with the same credential are one', async (t) => {
    const { answer, asked, flood, identify } = open(t)
    const same = Array.from({ length: 600 }, () => identify('same'))
    await flood(31)
    t.equal(asked.length, 32)
    await answer('same')
    for (const found of await Promise.all(same)) t.equal(found.name, 'same')
  })

  await t.test('tickets count as tokens do', async (t) => {
    const { answer, asked, flood, ticket } = open(t)
    await flood(32)
    const found = ticket('other')
    await turn()
    t.notOk(asked.includes('ticket of other'))
    await answer()
    await answer('ticket of other')
    t.match(await found, { name: 'other' })
  })
})

t.test('what is known is looked up at once, whatever else is', async (t) => {
  const { answer, asked, flood, identify, identities, know, ticket } = open(t)
  await know('known')
  await flood(533)
  t.equal(asked.splice(0).length, 32)
  const found = [
    identify('known'),
    ticket('known'),
    identities.identify(anonymous, false, undefined),
    identities.identifyTicket({ tokenId: 'of a stream', mac: Buffer.alloc(32) }, 'shop', undefined),
  ]
  await turn()
  t.strictSame(asked, ['known', 'ticket of known', '', 'ticket of of a stream'])
  for (const name of asked) await answer(name)
  t.strictSame(
    (await Promise.all(found)).map(({ name }) => name),
    ['known', 'known', '', 'of a stream'],
  )
})

t.test('no address is looked at for what needs no call', async (t) => {
  const { answer, identify, ticket } = open(t)
  const found = identify('a')
  await answer()
  await found
  const hidden: Sender = {
    get address(): string {
      throw new Error('looked at')
    },
  }
  t.match(identify('a', hidden), { name: 'a' })
  t.match(ticket('a', hidden), { name: 'a' })
})
