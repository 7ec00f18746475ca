import t from 'tap'
import { openLog } from '../../auth.test.support.ts'
import { RemoteKeys } from './keys.ts'
import { createSigner } from './signing.test.support.ts'
import { readKeySet, type SigningKey } from './signing-keys.ts'

const minuteMs = 60_000
const hourMs = 3_600_000

const keyOf = (keyId: string): SigningKey => {
  const { publicKey: key, algorithm } = createSigner('EdDSA')
  return { key, algorithm, keyId }
}
const [one, two] = [keyOf('one'), keyOf('two')]
const wanted = (keyId: string | undefined) => ({ algorithm: 'EdDSA', keyId }) as const

/** Keys of an issuer whose answers and whose time are the test's. */
function openKeys() {
  const issuer = {
    answer: (): Promise<readonly SigningKey[]> => Promise.resolve([one]),
    asked: 0,
    nowMs: 5_000_000,
  }
  const { log, lines } = openLog()
  const fetchKeys = () => {
    issuer.asked += 1
    return issuer.answer()
  }
  const keys = new RemoteKeys(fetchKeys, hourMs, log, () => issuer.nowMs)
  /** What happens in so many milliseconds, with a look every second as there is in a process. */
  const pass = async (ms: number, each: () => Promise<unknown> = async () => {}) => {
    const untilMs = issuer.nowMs + ms
    while (issuer.nowMs < untilMs) {
      issuer.nowMs += 1000
      await keys.keepFresh()
      await each()
    }
  }
  return { issuer, keys, pass, lines }
}

const failing = () => Promise.reject(new Error('unavailable'))
const unavailable = { code: 'unavailable', reason: 'jwt_keys_unavailable' }

t.test('keys are fetched when the first is needed, and every ten minutes', async (t) => {
  const { issuer, keys, pass } = openKeys()
  t.equal(await keys.find(wanted('one')), one.key)
  t.equal(issuer.asked, 1)
  await pass(hourMs, () => keys.find(wanted('one')))
  t.equal(issuer.asked, 7)
})

t.test('a thousand requests at once fetch them once', async (t) => {
  const { issuer, keys } = openKeys()
  const found = await Promise.all(Array.from({ length: 1000 }, () => keys.find(wanted('one'))))
  t.ok(found.every((key) => key === one.key))
  t.equal(issuer.asked, 1)
})

t.test('unknown keys are asked for twice a minute at most, however often they come', async (t) => {
  const { issuer, keys, pass } = openKeys()
  await keys.keepFresh()
  let found = 0
  await pass(10 * minuteMs, async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => keys.find(wanted(`unknown-${i}`))),
    )
    found += answers.filter((key) => key !== undefined).length
  })
  t.equal(found, 0)
  t.ok(issuer.asked <= 1 + 20, `${issuer.asked} fetches for 12000 requests in ten minutes`)
  t.comment(`${issuer.asked} fetches for 12000 requests with unknown keys in ten minutes`)
})

t.test('a new key is found as soon as it is used, a withdrawn one no more', async (t) => {
  const { issuer, keys, pass } = openKeys()
  await keys.find(wanted('one'))
  await pass(31_000)
  issuer.answer = async () => [two]
  t.equal(await keys.find(wanted('two')), two.key)
  t.equal(await keys.find(wanted('one')), undefined)
  t.equal(issuer.asked, 2)
  issuer.answer = async () => []
  await pass(10 * minuteMs)
  t.equal(await keys.find(wanted('two')), undefined, 'also without another in its place')
})

t.test('an issuer that fails is asked after five seconds, later every minute', async (t) => {
  const { issuer, keys, pass } = openKeys()
  issuer.answer = failing
  const askedAt: number[] = []
  await pass(10 * minuteMs, async () => {
    const before = issuer.asked
    await t.rejects(keys.find(wanted('one')), unavailable)
    if (issuer.asked > before || askedAt.length < issuer.asked) askedAt.push(issuer.nowMs)
  })
  const gaps = askedAt.slice(1).map((at, i) => at - (askedAt[i] ?? 0))
  t.strictSame(gaps.slice(0, 6), [5000, 10_000, 20_000, 40_000, 60_000, 60_000])
  t.ok(gaps.every((gap) => gap >= 5000 && gap <= minuteMs))
})

t.test('the last keys are used for the time that was set, through an outage', async (t) => {
  const { issuer, keys, pass, lines } = openKeys()
  await keys.find(wanted('one'))
  issuer.answer = failing
  const startedMs = issuer.nowMs
  let lastMs = startedMs
  await pass(2 * hourMs, async () => {
    const key = await keys.find(wanted('one')).catch(() => undefined)
    if (key !== undefined) lastMs = issuer.nowMs
  })
  const heldMs = lastMs - startedMs
  t.ok(heldMs >= hourMs && heldMs <= hourMs + 10 * minuteMs, `${heldMs / minuteMs} minutes`)
  await t.rejects(keys.find(wanted('one')), unavailable)
  t.ok(lines.length >= 60 && lines.length < 200, `${lines.length} lines in the log`)

  issuer.answer = async () => [one]
  await pass(minuteMs)
  t.equal(await keys.find(wanted('one')), one.key)
})

t.test('an unknown key in an outage may be a new one: the answer is unavailable', async (t) => {
  const { issuer, keys, pass } = openKeys()
  await keys.find(wanted('one'))
  issuer.answer = failing
  await pass(11 * minuteMs)
  await t.rejects(keys.find(wanted('two')), unavailable)
  t.equal(await keys.find(wanted('one')), one.key)
})

t.test('no request waits longer than a second for an issuer that hangs', async (t) => {
  const { issuer, keys } = openKeys()
  issuer.answer = () => new Promise(() => {})
  const startedAt = performance.now()
  await t.rejects(Promise.all([keys.find(wanted('one')), keys.find(wanted('two'))]), unavailable)
  const tookMs = performance.now() - startedAt
  t.ok(tookMs > 900 && tookMs < 2000, `${tookMs} ms`)
  t.equal(issuer.asked, 1)
})

t.test('while new keys are on their way, the old ones are used', async (t) => {
  const { issuer, keys } = openKeys()
  await keys.find(wanted('one'))
  let arrive = (_: readonly SigningKey[]) => {}
  issuer.answer = () =>
    new Promise((resolve) => {
      arrive = resolve
    })
  issuer.nowMs += 11 * minuteMs
  const refreshing = keys.keepFresh()
  t.equal(await keys.find(wanted('one')), one.key)
  const late = keys.find(wanted('two'))
  arrive([two])
  t.equal(await late, two.key)
  await refreshing
  t.equal(issuer.asked, 2)
})

t.test('a token that names no key is good when one alone could have signed it', async (t) => {
  const { issuer, keys, pass } = openKeys()
  t.equal(await keys.find(wanted(undefined)), one.key)
  issuer.answer = async () => [one, two]
  await pass(10 * minuteMs)
  t.equal(await keys.find(wanted(undefined)), undefined)
  t.equal(await keys.find(wanted('two')), two.key)
})

t.test('of two keys of one name the algorithm decides; if that is the same, neither', async (t) => {
  const { issuer, keys } = openKeys()
  const [edwards, elliptic, another] = [
    createSigner('EdDSA'),
    createSigner('ES256'),
    createSigner('EdDSA'),
  ]
  const answer = (...signers: readonly (typeof edwards)[]) => {
    const set = signers.map(({ jwk }) => ({ ...jwk, kid: 'one' }))
    issuer.answer = async () => readKeySet(JSON.stringify({ keys: set }), ['EdDSA', 'ES256'])
  }
  answer(edwards, elliptic)
  t.ok((await keys.find({ algorithm: 'ES256', keyId: 'one' }))?.equals(elliptic.publicKey))
  t.ok((await keys.find({ algorithm: 'EdDSA', keyId: 'one' }))?.equals(edwards.publicKey))
  answer(edwards, another)
  issuer.nowMs += 10 * minuteMs
  await keys.keepFresh()
  t.equal(await keys.find(wanted('one')), undefined)
})
