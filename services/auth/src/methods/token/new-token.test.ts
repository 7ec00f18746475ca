import { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import t from 'tap'
import { readFixture } from '../../fixtures.test.support.ts'
import { parseNewToken } from './new-token.ts'

type Fields = Partial<CreateTokenRequest>
const { accepted, agreeing, refused } = readFixture<{
  accepted: Fields[]
  agreeing: Fields[]
  refused: Record<string, Fields[]>
}>('auth/new-tokens.yml')

const parse = (request: Fields) =>
  parseNewToken(CreateTokenRequest.fromPartial({ name: 'ci', ...request }))

t.test('the metadata notes what the token is called, is for, and is bound to', async (t) => {
  t.strictSame(parse({ description: 'pipeline', namespaceKey: 'production' }), {
    expiresAt: undefined,
    namespaceKey: 'production',
    allowedAddresses: [],
    metadata: {
      'io.svc.auth.token.name': 'ci',
      'io.svc.auth.token.description': 'pipeline',
      'io.svc.auth.token.namespace': 'production',
    },
  })
})

t.test('what is left out is not noted, and what the caller adds is kept', async (t) => {
  t.strictSame(parse({ metadata: { team: 'web', '': 'empty' } }).metadata, {
    team: 'web',
    '': 'empty',
    'io.svc.auth.token.name': 'ci',
  })
})

t.test('either spelling of expiry and namespace will do, also both when they agree', async (t) => {
  const expiresAt = { seconds: 1_893_456_000, nanos: 0 }
  for (const request of agreeing) t.match(parse(request), { expiresAt, namespaceKey: 'a' })
})

t.test('addresses from which it is accepted are taken as they are', async (t) => {
  const allowedAddresses = ['10.0.0.0/8', '2001:db8::1', '10.0.0.0/8']
  t.strictSame(parse({ allowedAddresses }).allowedAddresses, allowedAddresses)
})

t.test('what breaks a rule is refused with the reason', async (t) => {
  const addresses = Array.from({ length: 65 }, () => '10.0.0.1')
  const entries = Object.fromEntries(addresses.map((_, i) => [`k${i}`, '']))
  const all: typeof refused = {
    ...refused,
    'allowedAddresses: must contain at most 64 elements': [{ allowedAddresses: addresses }],
    'metadata: must have at most 64 entries': [{ metadata: entries }],
  }
  for (const [rule, requests] of Object.entries(all)) {
    const message = `invalid field ${rule}`
    for (const request of requests) {
      t.throws(() => parse(request), { code: 'invalid_argument', message }, message)
    }
  }
})

t.test('what just keeps the rules is taken', async (t) => {
  for (const request of accepted) t.doesNotThrow(() => parse(request))
})
