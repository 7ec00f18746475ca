import type { Authentication } from '@svc/client/api'
import t from 'tap'
import { toToken } from './token.ts'

const record = (metadata: Record<string, string>, more: Partial<Authentication> = {}) =>
  toToken({
    id: '0b5f6a5e-8f0e-4c0e-9a51-6f3a2d7c1e42',
    method: 'METHOD_TOKEN',
    createdAt: '2026-11-25T12:00:00Z',
    updatedAt: '2026-11-25T12:00:00Z',
    metadata,
    allowedAddresses: [],
    ...more,
  })

t.test('a static token is what its metadata says', async (t) => {
  const token = record({
    'io.svc.auth.token.name': 'shop',
    'io.svc.auth.token.description': 'The web shop',
    'io.svc.auth.token.namespace': 'production',
  })
  t.match(token, { name: 'shop', description: 'The web shop', namespaceKey: 'production' })
  t.match(token, { isFirst: false, isWorkload: false })
})

t.test('the first token is known by its name', async (t) => {
  t.equal(record({ 'io.svc.auth.token.name': 'initial_bootstrap_token' }).isFirst, true)
})

t.test('a workload is known by its service account', async (t) => {
  const token = record(
    { 'io.svc.auth.orchestrator.serviceaccount.name': 'checkout' },
    { method: 'METHOD_ORCHESTRATOR' },
  )
  t.match(token, { name: 'checkout', isFirst: false, isWorkload: true })
})

t.test('what the command line got is named as its machine, and is no first token', async (t) => {
  const token = record({
    'io.svc.auth.token.name': 'initial_bootstrap_token',
    'io.svc.auth.token.description': 'of the token',
    'io.svc.auth.cli.name': 'laptop',
  })
  t.match(token, { name: 'laptop', description: 'initial_bootstrap_token' })
  t.match(token, { isFirst: false, isCli: true })
  const unnamed = record({ 'io.svc.auth.token.name': 'shop', 'io.svc.auth.cli.name': '' })
  t.match(unnamed, { name: '0b5f6a5e', description: 'shop', isCli: true })
})

t.test('without a name it is called by the beginning of its id', async (t) => {
  t.equal(record({}).name, '0b5f6a5e')
})
