import type { Event } from '@svc/client/api'
import t from 'tap'
import { formatIn } from '../../text/format.ts'
import { toRequest } from './request.ts'
import { readAuditSearch } from './search.ts'
import { tellEvent } from './telling.ts'
import { auditTexts } from './texts.ts'

const tell = (type: string, details: Event['details'] = {}, more: Partial<Event> = {}) => {
  const event: Event = {
    ...{ number: 1, at: '2026-11-25T12:00:00Z', type, details },
    ...{ actorId: 'a', actorName: 'alice', subjectId: '0b5f6a5e-8f0e', address: '' },
    ...{ previousHash: '', hash: '', keyId: '', ...more },
  }
  return tellEvent(event, auditTexts.en, formatIn('en')).replaceAll(/[\ue000\ue001]/g, '')
}

t.test('what happened to tokens', async (t) => {
  t.equal(tell('token.created', { name: 'shop' }), 'alice made the token shop')
  t.equal(tell('token.deleted', {}), 'alice deleted the token 0b5f6a5e', 'its name was erased')
  const bootstrap = { name: 'first', reason: 'bootstrap' }
  t.equal(
    tell('token.created', bootstrap, { actorId: 'system', actorName: '' }),
    'The service made the first token, first',
  )
  t.equal(
    tell('token.created', { name: 'x', reason: 'command' }),
    'The token x was made at the command line',
  )
})

t.test('what the command line got', async (t) => {
  t.equal(tell('cli.allowed', { name: 'laptop' }), 'alice let svc on laptop log in')
  t.equal(
    tell('token.created', { name: 'laptop', reason: 'cli', session: 'x' }),
    'svc on laptop logged in as alice',
  )
  t.equal(
    tell('token.deleted', { name: 'laptop', reason: 'session.signed_out' }),
    'The token laptop has ended: its session was signed out',
  )
})

t.test('what happened to sessions', async (t) => {
  t.equal(tell('login.succeeded', { provider: 'oidc/main' }), 'alice signed in with oidc/main')
  t.equal(tell('login.succeeded', { provider: 'token' }), 'alice signed in with a token')
  t.equal(
    tell('session.ended', { reason: 'token.deleted' }),
    'A session of alice was ended: its token was deleted',
  )
})

t.test('refusals are counted, with the reason in words where there are some', async (t) => {
  const anonymous = { actorId: 'anonymous', actorName: '' }
  t.equal(
    tell('login.refused', { provider: 'oidc/main', reason: 'x_y', count: 1200 }, anonymous),
    '1,200 sign-ins with oidc/main were refused: x_y',
  )
  t.equal(
    tell('request.refused', { reason: 'namespace_restricted', count: 3 }),
    'alice was refused 3 times: the token is for one namespace',
  )
  t.equal(
    tell('request.refused', { reason: 'no_credential', count: 1 }, anonymous),
    'A request was refused: no credential was sent',
  )
})

t.test('a type that is not known is shown as it is', async (t) => {
  t.equal(tell('grant.created'), 'alice: grant.created')
})

t.test('names cannot print themselves bold', async (t) => {
  t.equal(tell('token.created', { name: 'a\ue000b\ue001' }), 'alice made the token ab')
})

t.test('filters of the URL are what the service is asked for', async (t) => {
  const search = { type: 'login.refused', actor: 'a', subject: 's', page: 'p', open: '3', q: 'x' }
  t.strictSame(readAuditSearch(search), {
    ...{ type: 'login.refused', actor: 'a', subject: 's', page: 'p', open: 3 },
  })
  t.strictSame(readAuditSearch({ type: 'nothing', open: 'x' }), {})
  t.strictSame(toRequest(readAuditSearch(search)), {
    ...{ type: 'login.refused', actorId: 'a', subjectId: 's', pageToken: 'p' },
  })
})
