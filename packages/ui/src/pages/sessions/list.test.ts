import type { Session } from '@svc/client/api'
import t from 'tap'
import { isOpen, ownFirst, search, wayOf } from './list.ts'

const now = Date.parse('2026-11-25T12:00:00Z')

const session = (
  id: string,
  metadata: Record<string, string> = {},
  more: Partial<Session['authentication']> = {},
): Session => ({
  authentication: {
    id,
    method: 'METHOD_OIDC',
    createdAt: '2026-11-25T08:00:00Z',
    updatedAt: '2026-11-25T08:00:00Z',
    metadata,
    allowedAddresses: [],
    ...more,
  },
  namespaceKey: '',
  issuer: '',
  subject: '',
  current: false,
})
const ids = (sessions: readonly Session[]) => sessions.map((one) => one.authentication.id)

t.test('a session that has expired is none', async (t) => {
  t.equal(isOpen(session('a', {}, { expiresAt: '2026-11-25T12:00:01Z' }), now), true)
  t.equal(isOpen(session('a', {}, { expiresAt: '2026-11-25T12:00:00Z' }), now), false)
  t.equal(isOpen(session('a'), now), true)
})

t.test('this browser is first, then the ones that were seen last', async (t) => {
  const use = (lastAt: string) => ({ use: { lastAt, lastAddress: '', count: 1 } })
  const sessions = [
    session('old', {}, use('2026-11-20T00:00:00Z')),
    session('never'),
    { ...session('mine'), current: true },
    session('new', {}, use('2026-11-25T11:00:00Z')),
  ]
  t.strictSame(ids(ownFirst(sessions)), ['mine', 'new', 'never', 'old'])
})

t.test('sessions are found by name, e-mail, subject and address', async (t) => {
  const mara = session('1', {
    'io.svc.auth.oidc.name': 'Mara',
    'io.svc.auth.oidc.email': 'mara@example.com',
  })
  const ci = session(
    '2',
    { 'io.svc.auth.token.name': 'ci' },
    { use: { lastAt: '2026-11-25T11:00:00Z', lastAddress: '10.0.9.2', count: 1 } },
  )
  const all = [mara, ci, { ...session('3'), subject: '248289761001' }]
  t.strictSame(ids(search(all, 'MARA@')), ['1'])
  t.strictSame(ids(search(all, '10.0.9')), ['2'])
  t.strictSame(ids(search(all, '248289')), ['3'])
  t.strictSame(ids(search(all, undefined)), ['1', '2', '3'])
})

t.test('how somebody signed in', async (t) => {
  const methods = [
    {
      method: 'METHOD_OIDC' as const,
      enabled: true,
      sessionCompatible: true,
      metadata: { providers: { keycloak: { display_name: 'Company login' } } },
    },
  ]
  const by = (provider: string) =>
    wayOf(session('a', { 'io.svc.auth.oidc.provider': provider }).authentication, methods)
  t.strictSame(by('keycloak'), { kind: 'oidc', name: 'Company login' })
  t.strictSame(by('gone'), { kind: 'oidc', name: 'gone' })
  const token = session('a', { 'io.svc.auth.token.name': 'ci' }, { method: 'METHOD_TOKEN' })
  t.strictSame(wayOf(token.authentication, methods), { kind: 'token', name: 'ci' })
  const host = session('a', {}, { method: 'METHOD_CODEHOST' })
  t.strictSame(wayOf(host.authentication, methods), { kind: 'codehost', name: '' })
})
