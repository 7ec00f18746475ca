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

const badKey = 'contains invalid characters: allowed are letters, digits, "-", "_" and ","'
const badTime = 'must be a time from the year 1 to 9999'
const notOne = (field: string) => `must be the same as ${field} when both are given`
const manyEntries = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, '']))

/** Requests by the message that refuses them, after `invalid field `. */
const refused: Readonly<Record<string, readonly Partial<CreateTokenRequest>[]>> = {
  'name: must not be empty': [{ name: '' }, { name: ' \t' }],
  'name: must be at most 255 characters': [{ name: 'x'.repeat(256) }],
  'name: must not contain NUL characters': [{ name: 'a\0b' }],
  'description: must be at most 4096 characters': [{ description: 'x'.repeat(4097) }],
  'allowedAddresses: must hold IP addresses, or ranges of them such as 10.0.0.0/8': [
    ...['', 'localhost', '10.0.0.0/33', '10.0.0.1 ', '::1%lo'].map((text) => ({
      allowedAddresses: [text],
    })),
  ],
  'allowedAddresses: must contain at most 64 elements': [
    { allowedAddresses: Array.from({ length: 65 }, () => '10.0.0.1') },
  ],
  [`namespaceKey: ${badKey}`]: [
    ...[' ', 'a ', 'a/b', 'ä', 'a\n'].map((namespaceKey) => ({ namespaceKey })),
  ],
  [`namespace: ${badKey}`]: [{ namespace: '\t\n' }],
  'namespaceKey: must be at most 255 characters': [{ namespaceKey: 'x'.repeat(256) }],
  [`namespace: ${notOne('namespaceKey')}`]: [{ namespaceKey: 'a', namespace: 'b' }],
  [`expiration: ${notOne('expiresAt')}`]: [
    { expiresAt: later, expiration: { ...later, nanos: 1 } },
  ],
  [`expiresAt: ${badTime}`]: [
    { expiresAt: { seconds: 253_402_300_800, nanos: 0 } },
    { expiresAt: { seconds: 0, nanos: -1 } },
  ],
  'metadata: keys that begin with io.svc.auth. are reserved': [
    { metadata: { 'io.svc.auth.token.namespace': 'other' } },
    { metadata: { 'IO.svc.Auth.role': 'admin' } },
  ],
  'metadata: must not contain NUL characters': [{ metadata: { a: '\0' } }],
  'metadata: must be at most 8192 bytes': [{ metadata: { a: 'ä'.repeat(4096) } }],
  'metadata: must have at most 64 entries': [{ metadata: manyEntries }],
}

t.test('what breaks a rule is refused and told', async (t) => {
  for (const [rule, requests] of Object.entries(refused)) {
    const message = `invalid field ${rule}`
    for (const request of requests) {
      t.throws(() => wish(request), { code: 'invalid_argument', message }, message)
    }
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
