import { CreateTokenRequest } from '@svc/proto/auth/v1/tokens'
import t from 'tap'
import { parseNewToken } from './new-token.ts'

const later = { seconds: 1_893_456_000, nanos: 0 }
const wish = (request: Partial<CreateTokenRequest>) =>
  parseNewToken(CreateTokenRequest.fromPartial({ name: 'ci', ...request }))

t.test('the metadata notes what the token is called, is for, and is bound to', async (t) => {
  t.strictSame(wish({ description: 'pipeline', namespaceKey: 'production' }), {
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
  t.strictSame(wish({ metadata: { team: 'web', '': 'empty' } }).metadata, {
    team: 'web',
    '': 'empty',
    'io.svc.auth.token.name': 'ci',
  })
})

t.test('either spelling of expiry and namespace will do, also both when they agree', async (t) => {
  for (const request of [
    { expiresAt: later, namespaceKey: 'a' },
    { expiration: later, namespace: 'a' },
    { expiresAt: later, expiration: later, namespaceKey: 'a', namespace: 'a' },
    { expiration: later, namespaceKey: 'a', namespace: '' },
  ]) {
    t.match(wish(request), { expiresAt: later, namespaceKey: 'a' })
  }
})

t.test('addresses from which it is accepted are taken as they are', async (t) => {
  const allowedAddresses = ['10.0.0.0/8', '2001:db8::1', '10.0.0.0/8']
  t.strictSame(wish({ allowedAddresses }).allowedAddresses, allowedAddresses)
})

const noAddresses =
  'invalid field allowedAddresses: must hold IP addresses, or ranges of them such as 10.0.0.0/8'

const refused: [Partial<CreateTokenRequest>, string][] = [
  [{ name: '' }, 'invalid field name: must not be empty'],
  [{ name: ' \t' }, 'invalid field name: must not be empty'],
  [{ name: 'x'.repeat(256) }, 'invalid field name: must be at most 255 characters'],
  ...['', 'localhost', '10.0.0.0/33', '10.0.0.1 ', '::1%lo'].map(
    (text): [Partial<CreateTokenRequest>, string] => [{ allowedAddresses: [text] }, noAddresses],
  ),
  [
    { allowedAddresses: Array.from({ length: 65 }, () => '10.0.0.1') },
    'invalid field allowedAddresses: must contain at most 64 elements',
  ],
  [{ name: 'a\0b' }, 'invalid field name: must not contain NUL characters'],
  [{ description: 'x'.repeat(4097) }, 'invalid field description: must be at most 4096 characters'],
  [
    { namespaceKey: ' ' },
    'invalid field namespaceKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
  ],
  [
    { namespace: '\t\n' },
    'invalid field namespace: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
  ],
  [
    { namespaceKey: 'a ' },
    'invalid field namespaceKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
  ],
  [
    { namespaceKey: 'a/b' },
    'invalid field namespaceKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
  ],
  [
    { namespaceKey: 'ä' },
    'invalid field namespaceKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
  ],
  [
    { namespaceKey: 'a\n' },
    'invalid field namespaceKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
  ],
  [{ namespaceKey: 'x'.repeat(256) }, 'invalid field namespaceKey: must be at most 255 characters'],
  [
    { namespaceKey: 'a', namespace: 'b' },
    'invalid field namespace: must be the same as namespaceKey when both are given',
  ],
  [
    { expiresAt: later, expiration: { ...later, nanos: 1 } },
    'invalid field expiration: must be the same as expiresAt when both are given',
  ],
  [
    { expiresAt: { seconds: 253_402_300_800, nanos: 0 } },
    'invalid field expiresAt: must be a time from the year 1 to 9999',
  ],
  [
    { expiresAt: { seconds: 0, nanos: -1 } },
    'invalid field expiresAt: must be a time from the year 1 to 9999',
  ],
  [
    { metadata: { 'io.svc.auth.token.namespace': 'other' } },
    'invalid field metadata: keys that begin with io.svc.auth. are reserved',
  ],
  [
    { metadata: { 'IO.svc.Auth.role': 'admin' } },
    'invalid field metadata: keys that begin with io.svc.auth. are reserved',
  ],
  [{ metadata: { a: '\0' } }, 'invalid field metadata: must not contain NUL characters'],
  [{ metadata: { a: 'ä'.repeat(4096) } }, 'invalid field metadata: must be at most 8192 bytes'],
  [
    { metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, ''])) },
    'invalid field metadata: must have at most 64 entries',
  ],
]

t.test('what breaks a rule is refused and told', async (t) => {
  for (const [request, message] of refused) {
    t.throws(() => wish(request), { code: 'invalid_argument', message }, message)
  }
})

t.test('what just keeps the rules is taken', async (t) => {
  for (const request of [
    { name: 'x'.repeat(255) },
    // 255 characters, though JavaScript counts 510.
    { name: '🙂'.repeat(255) },
    { description: 'x'.repeat(4096) },
    { namespaceKey: `${'x'.repeat(250)}-_,9Z` },
    { expiresAt: { seconds: 0, nanos: 0 } },
    { expiresAt: { seconds: 253_402_300_799, nanos: 999_999_999 } },
    { metadata: { a: 'x'.repeat(8191) } },
    { metadata: { 'io.svc.authority': 'not reserved' } },
  ]) {
    t.doesNotThrow(() => wish(request))
  }
})
