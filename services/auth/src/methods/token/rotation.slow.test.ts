import { setTimeout as sleep } from 'node:timers/promises'
import { ListEventsRequest } from '@svc/proto/auth/v1/events'
import t from 'tap'
import { as, firstToken, inSeconds, openAuth, unauthenticated } from '../../auth.test.support.ts'
import { loginsOf, openSession } from '../../cli/cli.test.support.ts'
import { ticketOf } from '../../credentials/lookup/lookup.test.support.ts'
import { signIn } from '../../sessions/sessions.test.support.ts'

/** A reading of the database's clock is accepted up to 500 ms, and may be wrong by half of that. */
const clockErrorMs = 300

t.test('rotateToken', async (t) => {
  const auth = await openAuth(t)
  const { accepts, channel, tokens, identities, authentications, create, lines } = auth
  const rotate = (id: string, overlap = '') => tokens.rotateToken({ id, overlap }, as(firstToken))
  const identify = (clientToken: string) => identities.authenticate({ clientToken })
  /** Retries while the answer is unavailable. */
  const isGood = async (clientToken: string): Promise<boolean> => {
    for (let tries = 1; ; tries += 1) {
      const code = await identify(clientToken).then(
        () => 'ok',
        (error: { readonly code: string }) => error.code,
      )
      if (code !== 'unavailable' || tries === 10) return code === 'ok'
    }
  }

  await t.test('gives the same record another secret, and refuses the one before', async (t) => {
    const { clientToken, id } = await create({ name: 'ci', namespaceKey: 'shop' })
    await identify(clientToken)
    const rotated = await rotate(id)
    t.match(rotated.clientToken, /^svc_/)
    t.not(rotated.clientToken, clientToken)
    t.match(rotated.authentication, { id, previousSecretExpiresAt: undefined })
    await t.rejects(identify(clientToken), unauthenticated)
    t.match(await identify(rotated.clientToken), { authentication: { id }, namespaceKey: 'shop' })
  })

  await t.test('keeps the one before for as long as requested', async (t) => {
    const { clientToken, id } = await create({ name: 'ci' })
    const { clientToken: next, authentication } = await rotate(id, '1500ms')
    const { seconds, nanos } = authentication?.previousSecretExpiresAt ?? { seconds: 0, nanos: 0 }
    const deadline = seconds * 1000 + nanos / 1e6
    const { expiresInMs = 0, authentication: before } = await identify(clientToken)
    t.ok(expiresInMs > 0 && expiresInMs <= 1500 + clockErrorMs, `${expiresInMs} ms`)
    t.equal(before?.id, id)
    t.equal((await identify(next)).expiresInMs, undefined)
    // When an acceptance was asked for and a refusal was answered: a pause makes neither look wrong.
    let acceptedAt = Number.NEGATIVE_INFINITY
    let refusedAt = Number.POSITIVE_INFINITY
    while (Date.now() < deadline + 2 * clockErrorMs) {
      const at = Date.now()
      await identify(clientToken).then(
        () => {
          acceptedAt = at
        },
        ({ code }) => {
          if (code === unauthenticated.code) refusedAt = Math.min(refusedAt, Date.now())
        },
      )
      await sleep(5)
    }
    const [acceptedFor, refusedAfter] = [acceptedAt - deadline, refusedAt - deadline]
    t.ok(acceptedFor <= clockErrorMs, `accepted until ${acceptedFor} ms after`)
    t.ok(refusedAfter >= -clockErrorMs, `refused from ${refusedAfter} ms after`)
    await t.rejects(identify(clientToken), unauthenticated)
    t.equal(
      (await authentications.getAuthentication({ id }, as(firstToken))).previousSecretExpiresAt,
      undefined,
    )
    await identify(next)
  })

  await t.test('refuses at once what is two secrets old', async (t) => {
    const { clientToken: first, id } = await create({ name: 'ci' })
    const { clientToken: second } = await rotate(id, '1h')
    await identify(first)
    const { clientToken: third } = await rotate(id, '1h')
    await t.rejects(identify(first), unauthenticated)
    await identify(second)
    await identify(third)
    await rotate(id)
    for (const clientToken of [first, second, third])
      await t.rejects(identify(clientToken), unauthenticated)
  })

  await t.test('ends with it the sessions that were begun with it, and no others', async (t) => {
    const { parent, ...ofFirst } = await openSession(auth)
    const cliOfFirst = await ofFirst.logIn()
    const { clientToken: second } = await rotate(parent.id, '13h')
    const ofSecond = await signIn(channel, second)
    // Shorter than its session, and than the secret before.
    const cliOfSecond = await loginsOf(auth, ofSecond.clientToken).logIn()
    t.ok((await accepts(ofFirst.clientToken)) && (await accepts(cliOfFirst)))
    const { authentication } = await rotate(parent.id, '14h')
    for (const ended of [ofFirst.clientToken, cliOfFirst]) t.notOk(await accepts(ended))
    t.ok(await accepts(cliOfSecond))
    const { clientToken } = ofSecond
    t.strictSame(
      (await identities.authenticate({ clientToken })).authentication?.expiresAt,
      authentication?.previousSecretExpiresAt,
    )
    const request = ListEventsRequest.fromPartial({ subjectId: ofFirst.id })
    const { events } = await auth.events.listEvents(request, as(firstToken))
    const [ended, shortened] = events.filter(({ type }) => type === 'session.ended')
    for (const one of [ended, shortened]) t.match(one, { details: { reason: 'token.rotated' } })
    t.ok(`${ended?.details?.expiresAt}` < `${shortened?.details?.expiresAt}`)
  })

  await t.test('does not put off the expiry of the token', async (t) => {
    const expiresAt = inSeconds(60)
    const { id } = await create({ name: 'ci', expiresAt })
    const { authentication } = await rotate(id, '720h')
    t.match(authentication, { expiresAt, previousSecretExpiresAt: expiresAt })
  })

  await t.test('a deletion ends both secrets, and so does an expiry', async (t) => {
    for (const end of ['delete', 'expire']) {
      const { clientToken, id } = await create({ name: 'ci' })
      const { clientToken: next } = await rotate(id, '1h')
      await identify(clientToken)
      await identify(next)
      if (end === 'delete') await authentications.deleteAuthentication({ id }, as(firstToken))
      else await authentications.expireSelf({}, as(clientToken))
      for (const secret of [clientToken, next]) await t.rejects(identify(secret), unauthenticated)
    }
  })

  await t.test('tickets are good for as long as the secret that they were made of', async (t) => {
    const { clientToken, id } = await create({ name: 'web' })
    await identities.authenticateTicket(ticketOf(id, clientToken, 'shop'))
    const { clientToken: next } = await rotate(id, '1h')
    await identities.authenticateTicket(ticketOf(id, clientToken, 'shop'))
    t.match(await identities.authenticateTicket(ticketOf(id, next, 'shop')), {
      authentication: { id },
    })
    const { clientToken: last } = await rotate(id)
    await identities.authenticateTicket(ticketOf(id, last, 'shop'))
    for (const secret of [clientToken, next]) {
      await t.rejects(identities.authenticateTicket(ticketOf(id, secret, 'shop')), unauthenticated)
    }
  })

  await t.test('many at once leave one good secret', async (t) => {
    const { clientToken, id } = await create({ name: 'ci' })
    // On a busy machine one may wait too long for the others. What counts is what was answered.
    const rotating = Array.from({ length: 8 }, () => rotate(id).catch(() => undefined))
    const rotated = (await Promise.all(rotating)).flatMap((one) => one ?? [])
    t.ok(rotated.length > 0, `${rotated.length} were`)
    const secrets = [clientToken, ...rotated.map((one) => one.clientToken)]
    const areGood = await Promise.all(secrets.map(isGood))
    const count = areGood.filter((one) => one).length
    // The secret of one that timed out may be the valid one: it is unknown.
    t.ok(count === 1 || (count === 0 && rotated.length < rotating.length), `${count} are good`)
  })

  await t.test('is for static tokens that there are', async (t) => {
    const expiresAt = inSeconds(-1)
    const { id: expired } = await create({ name: 'ci', expiresAt })
    for (const id of ['nope', '', 'a\0', expired]) {
      await t.rejects(rotate(id), {
        code: 'not_found',
        message: `static token "${id}" not found, or it has expired`,
      })
    }
  })

  await t.test('refuses overlaps that are none, and those that are too long', async (t) => {
    const { clientToken, id } = await create({ name: 'ci' })
    for (const overlap of ['24', '-1h', 'soon', '721h', '720h0m1s', ' 1h', '1d']) {
      await t.rejects(rotate(id, overlap), {
        code: 'invalid_argument',
        message: 'invalid field overlap: must be a duration such as 24h, at most 720h',
      })
    }
    await identify(clientToken)
  })

  await t.test('is logged without a secret', async (t) => {
    const { clientToken, id } = await create({ name: 'ci' })
    const { clientToken: next } = await rotate(id, '1h')
    t.ok(lines.some((line) => line.msg === 'gave a token another secret' && line.tokenId === id))
    t.notMatch(
      JSON.stringify(lines),
      new RegExp(`${clientToken.slice(4, 40)}|${next.slice(4, 40)}`),
    )
  })
})
