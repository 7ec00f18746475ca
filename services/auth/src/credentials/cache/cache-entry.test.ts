import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import type { TokenRecord } from '../records/authentications.store.ts'
import { fromBytes } from '../records/token.ts'
import { openEntry, sealEntry } from './cache-entry.ts'

const key = randomBytes(32)
const randomHash = () => fromBytes(randomBytes(32))
const record: TokenRecord = {
  namespaceKey: 'shop',
  isSession: true,
  rootId: 'b',
  issuer: 'https://idp.example',
  idleTimeoutMs: 600_000,
  secretExpiresAt: { seconds: 1_750_000_000, nanos: 0 },
  authentication: {
    id: 'a',
    method: 'METHOD_TOKEN',
    metadata: { 'io.svc.auth.token.name': 'ci', emoji: '🙂 "quoted"\n' },
    createdAt: { seconds: 1_700_000_000, nanos: 123_456_000 },
    updatedAt: { seconds: 1_700_000_001, nanos: 0 },
    expiresAt: { seconds: 1_800_000_000, nanos: 1000 },
    allowedAddresses: ['10.0.0.0/8'],
  },
}

t.test('an entry gives back what was put into it, for as long as it may be used', async (t) => {
  const hash = randomHash()
  const entry = sealEntry(key, hash, record, 1000)
  t.strictSame(openEntry(key, hash, entry, 999), record)
  t.equal(openEntry(key, hash, entry, 1000), 'outdated')
})

/** An entry as 1.1.0 and this release write it. */
const entryOf = (hash: string, content: object) => {
  const text = JSON.stringify(content)
  const hmac = createHmac('sha256', key).update(`token entry 2\n${hash}\n${text}`)
  return `${hmac.digest('base64url')}.${text}`
}

t.test(
  'an entry of 1.1.0 is looked up anew, and that release reads those of this one',
  async (t) => {
    const hash = randomHash()
    const { rootId, issuer, ...before } = record
    const untilMs = 1000
    for (const more of [{}, { rootId }, { issuer }]) {
      const content = { record: { ...before, ...more }, untilMs }
      t.equal(openEntry(key, hash, entryOf(hash, content), 999), 'outdated')
    }
    t.equal(sealEntry(key, hash, record, untilMs), entryOf(hash, { record, untilMs }))
  },
)

t.test('two hundred entries that were tampered with are all refused', async (t) => {
  const hash = randomHash()
  const entry = sealEntry(key, hash, record, 1000)
  const end = entry.indexOf('.')
  const [mac, content] = [entry.slice(0, end), entry.slice(end + 1)]
  const unrestricted = content.replace('"shop"', '""')
  const forged = [
    '',
    '.',
    entry.slice(1),
    entry.slice(0, -1),
    `${entry} `,
    content,
    `.${content}`,
    `${mac}.`,
    `${mac}.${unrestricted}`,
    `${mac}.${content.replace('"untilMs":1000', '"untilMs":9000')}`,
    sealEntry(randomBytes(32), hash, record, 1000),
    sealEntry(Buffer.alloc(32), hash, record, 1000),
    // Of another token.
    sealEntry(key, randomHash(), record, 1000),
    entry.padEnd(70_000),
    'null',
    '{"__proto__":{}}',
  ]
  while (forged.length < 200) {
    const place = Math.floor(Math.random() * entry.length)
    const other = String.fromCharCode(
      entry.charCodeAt(place) ^ (1 << Math.floor(Math.random() * 6)),
    )
    forged.push(entry.slice(0, place) + other + entry.slice(place + 1))
  }
  t.strictSame(
    forged.filter((text) => openEntry(key, hash, text, 0) !== 'forged'),
    [],
  )
})

t.test('whatever lies in the cache, opening it does not throw', async () => {
  fc.assert(
    fc.property(fc.string(), (text) => openEntry(key, randomHash(), text, 0) === 'forged'),
    { numRuns: 1000 },
  )
})
