import { setTimeout as sleep } from 'node:timers/promises'
import { ticketMac } from '@svc/access'
import { AppError } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { hashToken } from './credential.ts'
import {
  away,
  identify,
  identifyTicket,
  identityOf,
  open,
  outage,
  refused,
  sender,
  sha256,
  tokenOf,
} from './identities.test.support.ts'
import { anonymous } from './identities.ts'

t.test('while revocations are followed', async (t) => {
  await t.test('asks once for a token and remembers', async (t) => {
    const { auth, identities } = await open(t, { follow: true })
    t.match(await identify(identities, 'a', false), { name: 'a' })
    await identify(identities, 'a', true)
    t.strictSame(auth.asked, ['a'])
  })

  await t.test('asks once for many requests at a time', async (t) => {
    const { auth, identities } = await open(t, { follow: true })
    await Promise.all(Array.from({ length: 100 }, () => identify(identities, 'a', false)))
    t.strictSame(auth.asked, ['a'])
  })

  await t.test('asks again after 30 seconds', async (t) => {
    const { auth, identities, clock } = await open(t, { follow: true })
    await identify(identities, 'a', true)
    clock.skippedMs = 22_000
    await waitFor(() => identities.isFollowing)
    await identify(identities, 'a', true)
    t.strictSame(auth.asked, ['a'])
    clock.skippedMs = 31_000
    await waitFor(() => identities.isFollowing)
    await identify(identities, 'a', true)
    t.strictSame(auth.asked, ['a', 'a'])
  })

  await t.test('asks again after 4 seconds for what others do only if auth vouches', async (t) => {
    const { auth, identities, clock } = await open(t, { follow: true })
    await identify(identities, 'a', false)
    clock.skippedMs = 2900
    await waitFor(() => identities.isFollowing)
    await identify(identities, 'a', false)
    t.strictSame(auth.asked, ['a'])
    clock.skippedMs = 4000
    await identify(identities, 'a', true)
    t.strictSame(auth.asked, ['a'])
    await Promise.all(Array.from({ length: 100 }, () => identify(identities, 'a', false)))
    t.strictSame(auth.asked, ['a', 'a'], 'once for many requests')
  })

  await t.test('asks who the anonymous caller is, and caches that, too', async (t) => {
    const { auth, identities } = await open(t, { follow: true })
    auth.answer = async () => ({
      ...identityOf(''),
      authentication: undefined,
      tokenHash: Buffer.of(),
    })
    for (let i = 0; i < 3; i++)
      t.match(await identities.identify(anonymous, false, undefined), { name: '' })
    t.strictSame(auth.asked, [''])
  })

  await t.test('forgets a token that is revoked', async (t) => {
    const { auth, identities } = await open(t, { follow: true })
    await identify(identities, 'a', false)
    auth.answer = auth.refuse
    auth.revocations.push([sha256('a')])
    await waitFor(() => identities.isRevoked(hashToken('a')))
    await t.rejects(identify(identities, 'a', true), refused)
  })

  await t.test('refuses a token just revoked, whatever an auth replica still says', async (t) => {
    const { auth, identities, clock } = await open(t, { follow: true })
    auth.revocations.push([sha256('a')])
    await waitFor(() => identities.isRevoked(hashToken('a')))
    await t.rejects(identify(identities, 'a', false), refused)
    t.strictSame(auth.asked, ['a'], 'as about one that never was: that takes as long')
    const { answer } = auth
    auth.answer = away
    await t.rejects(identify(identities, 'a', false), refused, 'nor need it say anything')
    auth.answer = answer
    clock.skippedMs = 10_001
    t.match(await identify(identities, 'a', false), { name: 'a' }, 'and asks later')
  })

  await t.test('does not accept an answer that a revocation has overtaken', async (t) => {
    const { auth, identities } = await open(t, { follow: true })
    const { answer } = auth
    let release = () => {}
    auth.answer = async (token) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return identityOf(token)
    }
    const first = identify(identities, 'a', false)
    await waitFor(() => auth.asked.length === 1)
    auth.revocations.push([sha256('a')])
    await waitFor(() => identities.isRevoked(hashToken('a')))
    release()
    await t.rejects(first, refused)
    auth.answer = answer
    await t.rejects(identify(identities, 'a', false), refused)
  })

  await t.test('takes revocations alone for no sign that all of them arrive', async (t) => {
    const { auth, identities, clock } = await open(t, { follow: true })
    auth.heartbeats = false
    await sleep(50)
    clock.skippedMs = 2600
    auth.revocations.push([sha256('other')])
    await sleep(50)
    t.notOk(identities.isFollowing)
  })

  await t.test('asks again once a token has expired', async (t) => {
    const { auth, identities, clock } = await open(t, { follow: true })
    auth.answer = async (token) => identityOf(token, 5000)
    await identify(identities, 'a', false)
    clock.skippedMs = 5001
    await identify(identities, 'a', false)
    t.strictSame(auth.asked, ['a', 'a'])
  })
})

t.test('a ticket', async (t) => {
  const ticketOf = (tokenId: string) => ({ tokenId, mac: ticketMac(sha256(tokenId), 'shop') })

  await t.test('is accepted for as long as its token is', async (t) => {
    const { auth, identities, clock } = await open(t, { follow: true })
    for (let i = 0; i < 3; i++) {
      t.match(await identifyTicket(identities, ticketOf('a'), 'shop'), { name: 'a' })
    }
    await identify(identities, 'a', true)
    t.strictSame(auth.asked, ['ticket of a'], 'and what is known of it is known of the token')
    await identify(identities, 'a', false)
    t.strictSame(auth.asked.splice(1), ['a'], 'but that auth vouches for who has the token is not')
    clock.skippedMs = 31_000
    await waitFor(() => identities.isFollowing)
    await identifyTicket(identities, ticketOf('a'), 'shop')
    t.strictSame(auth.asked, ['ticket of a', 'ticket of a'])
  })

  await t.test('of a known token needs no call', async (t) => {
    const { auth, identities } = await open(t, { follow: true })
    await identify(identities, 'a', true)
    t.match(await identifyTicket(identities, ticketOf('a'), 'shop'), { name: 'a' })
    t.strictSame(auth.asked, ['a'])
  })

  await t.test(
    'of either secret of a token that is rotated is good, also without auth',
    async (t) => {
      const { auth, identities } = await open(t, { follow: true })
      const secrets = ['oldest', 'old', 'new']
      auth.answer = async (secret) => ({ ...identityOf('a'), tokenHash: sha256(secret) })
      for (const secret of secrets) await identify(identities, secret, true)
      await identify(identities, 'new', true)
      await auth.stop()
      const find = (secret: string) => {
        const ticket = { tokenId: 'a', mac: ticketMac(sha256(secret), 'shop') }
        return identifyTicket(identities, ticket, 'shop')
      }
      t.match(await find('old'), { name: 'a' })
      t.match(await find('new'), { name: 'a' })
      await t.rejects(find('oldest'), outage, 'it has two at most')
      t.equal(auth.asked.length, 3)
    },
  )

  await t.test('is refused for another namespace, and when it is made up', async (t) => {
    const { auth, identities } = await open(t, { follow: true })
    const forged = { tokenId: 'a', mac: Buffer.alloc(32) }
    await t.rejects(identifyTicket(identities, forged, 'shop'), refused)
    await identifyTicket(identities, ticketOf('a'), 'shop')
    await t.rejects(identifyTicket(identities, forged, 'shop'), refused)
    await t.rejects(identifyTicket(identities, ticketOf('a'), 'other'), refused)
    t.equal(auth.asked.length, 4, 'auth knows of all secrets of a token, and this one of the last')
  })

  await t.test('is refused when its token is revoked, and listeners are notified', async (t) => {
    const { auth, identities, clock } = await open(t, { follow: true })
    const received: string[] = []
    const stop = identities.onRevoked((tokenHash) => received.push(tokenHash))
    await identifyTicket(identities, ticketOf('a'), 'shop')
    auth.answer = auth.refuse
    auth.revocations.push([sha256('a')])
    await waitFor(() => identities.isRevoked(hashToken('a')))
    t.strictSame(received, [sha256('a').toString('base64')])
    await t.rejects(identifyTicket(identities, ticketOf('a'), 'shop'), refused)
    clock.skippedMs = 10_001
    await t.rejects(identifyTicket(identities, ticketOf('a'), 'shop'), refused, 'for ever')
    stop()
    auth.revocations.push([sha256('b')])
    await waitFor(() => identities.isRevoked(hashToken('b')))
    t.equal(received.length, 1)
  })
})

t.test('after a gap longer than auth can fill, what was cached before is dropped', async (t) => {
  const { auth, identities, clock } = await open(t, { follow: true })
  await identify(identities, 'a', true)
  clock.skippedMs = 600_000
  await waitFor(() => identities.isFollowing)
  await auth.stop()
  await t.rejects(identify(identities, 'a', true), outage)
})

t.test('while revocations are not followed, asks again after a second', async (t) => {
  const { auth, identities, clock } = await open(t, { follow: false })
  await identify(identities, 'a', false)
  await identify(identities, 'a', false)
  clock.skippedMs = 1001
  await identify(identities, 'a', false)
  t.strictSame(auth.asked, ['a', 'a'])
})

t.test('after auth could not be asked', async (t) => {
  const { auth, identities, clock } = await open(t, { follow: false })
  await identify(identities, 'a', true)
  auth.answer = away
  clock.skippedMs = 2000
  await identify(identities, 'a', true)
  const a = tokenOf('a')
  const asked = () => auth.asked.length

  await t.test('does so once a second, and no request waits for it', async (t) => {
    for (let i = 0; i < 5; i++) {
      const before = asked()
      t.match(identities.identify(a, true, sender), { name: 'a' })
      clock.skippedMs += 1001
      for (let j = 0; j < 10; j++) t.match(identities.identify(a, true, sender), { name: 'a' })
      await waitFor(() => asked() > before)
      await sleep(20)
      t.ok(asked() - before <= 4, 'one question, which may have been repeated on its way')
    }
  })

  await t.test('drops it when auth was not asked for a while', async (t) => {
    clock.skippedMs += 5000
    const asked = identities.identify(a, true, sender)
    t.type(asked, Promise, 'and waits for auth')
    t.match(await asked, { name: 'a' })
  })

  await t.test('refreshes by itself when auth is available again', async (t) => {
    auth.answer = async () => {
      throw new AppError('unauthenticated', 'revoked', 'request was not authenticated')
    }
    clock.skippedMs += 1001
    const before = asked()
    t.match(identities.identify(a, true, sender), { name: 'a' })
    await waitFor(() => asked() > before)
    await sleep(20)
    await t.rejects(identify(identities, 'a', true), refused)
  })
})

t.test('while auth is unavailable', async (t) => {
  const { auth, identities, clock } = await open(t, { follow: true, maxStaleMs: 60_000 })
  auth.answer = async (token) => identityOf(token, token === 'short' ? 20_000 : undefined)
  await identify(identities, 'long', false)
  await identify(identities, 'short', false)
  await auth.stop()

  await t.test('uses its cache for a few seconds', async (t) => {
    clock.skippedMs = 4000
    t.match(await identify(identities, 'long', false), { name: 'long' })
  })

  await t.test('then uses it for evaluation alone', async (t) => {
    clock.skippedMs = 6000
    await t.rejects(identify(identities, 'long', false), outage)
    t.match(await identify(identities, 'long', true), { name: 'long' })
  })

  await t.test('knows nothing of tokens it has not seen', async (t) => {
    await t.rejects(identify(identities, 'other', true), outage)
  })

  await t.test('refuses a token from the moment it expires', async (t) => {
    clock.skippedMs = 21_000
    await t.rejects(identify(identities, 'short', true), refused)
  })

  await t.test('refuses evaluation too when the time set for that is over', async (t) => {
    clock.skippedMs = 61_000
    await t.rejects(identify(identities, 'long', true), outage)
  })

  await t.test('is itself again when auth is back', async (t) => {
    await auth.start()
    await waitFor(() => identities.isFollowing)
    t.match(await identify(identities, 'other', false), { name: 'other' })
  })
})
