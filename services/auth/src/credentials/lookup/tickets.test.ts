import { randomUUID } from 'node:crypto'
import t from 'tap'
import { as, firstToken, inSeconds, openAuth, unauthenticated } from '../../auth.test.support.ts'
import { hashToken, toBytes } from '../records/token.ts'
import { ticketOf } from './lookup.test.support.ts'

t.test('authenticateTicket', async (t) => {
  const { identities, authentications, create } = await openAuth(t)
  const make = async (namespaceKey: string, request: object = {}) => {
    const { clientToken, id } = await create(request)
    return { ...ticketOf(id, clientToken, namespaceKey), clientToken }
  }

  await t.test('answers with its owner, as for the token itself', async (t) => {
    const ticket = await make('shop', { name: 'web', namespaceKey: 'shop' })
    const ask = [identities.authenticate, identities.authenticateTicket]
    for (const authenticate of [...ask, ...ask]) {
      t.match(await authenticate(ticket), {
        authentication: {
          id: ticket.tokenId,
          method: 'METHOD_TOKEN',
          metadata: { 'io.svc.auth.token.name': 'web' },
        },
        name: 'web',
        namespaceKey: 'shop',
        tokenHash: toBytes(hashToken(ticket.clientToken)),
        expiresInMs: undefined,
      })
    }
  })

  await t.test('refuses all others in the same words', async (t) => {
    const ticket = await make('shop')
    const other = await make('shop')
    const bad = [
      { ...ticket, namespaceKey: 'default' },
      { ...ticket, namespaceKey: '' },
      { ...ticket, tokenId: other.tokenId },
      { ...ticket, tokenId: randomUUID() },
      { ...ticket, tokenId: '' },
      { ...ticket, tokenId: '\0' },
      { ...ticket, mac: Buffer.alloc(32) },
      { ...ticket, mac: Buffer.alloc(0) },
      { ...ticket, mac: ticket.mac.subarray(1) },
    ]
    for (const wrong of bad) await t.rejects(identities.authenticateTicket(wrong), unauthenticated)
    await identities.authenticateTicket(ticket)
  })

  await t.test('refuses one when its token is deleted, or has expired', async (t) => {
    const deleted = await make('shop')
    await identities.authenticateTicket(deleted)
    await authentications.deleteAuthentication({ id: deleted.tokenId }, as(firstToken))
    await t.rejects(identities.authenticateTicket(deleted), unauthenticated)
    const expiresAt = inSeconds(-1)
    await t.rejects(
      identities.authenticateTicket(await make('shop', { expiresAt })),
      unauthenticated,
    )
  })

  await t.test('says for how much longer it is good', async (t) => {
    const expiresAt = inSeconds(60)
    const { expiresInMs = 0 } = await identities.authenticateTicket(await make('', { expiresAt }))
    t.ok(expiresInMs > 50_000 && expiresInMs <= 60_000, `${expiresInMs} ms`)
  })
})
