import { gunzipSync } from 'node:zlib'
import { EventLoopScheduler } from '@svc/runtime'
import t from 'tap'
import { currentForm, formFor } from '../snapshot/form.ts'
import { applyTo, booleanState, manyFlags, segmentFor, stateOf } from '../snapshot/testing.ts'
import { toFrame, wholeOf, yieldBetween } from './copy-text.ts'
import { Wholes } from './wholes.ts'

const scheduler = new EventLoopScheduler()
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

async function collect(slices: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = []
  for await (const slice of slices) all.push(slice)
  return all
}

t.test('wholes', async (t) => {
  await t.test('are made once for all clients of a revision, and then kept', async (t) => {
    const wholes = new Wholes(scheduler)
    const state = stateOf('a', 1, { flags: manyFlags(10) })
    const asked = Array.from({ length: 100 }, () => wholes.get(state, currentForm))
    const [first, ...others] = await Promise.all(asked)
    t.ok(others.every(({ text }) => text === first?.text))
    t.equal((await wholes.get(state, currentForm)).text, first?.text)
  })

  await t.test('are made for each form', async (t) => {
    const wholes = new Wholes(scheduler)
    const state = stateOf('a', 1, {})
    const one = await wholes.get(state, currentForm)
    const other = await wholes.get(state, formFor({}))
    t.not(one.etag, other.etag)
    t.equal((await wholes.get(state, currentForm)).text, one.text)
  })

  await t.test('are never older than the request', async (t) => {
    const wholes = new Wholes(scheduler)
    const state = stateOf('a', 1, { flags: manyFlags(2000) })
    for (let revision = 2; revision < 30; revision++) {
      const asking = wholes.get(state, currentForm)
      // Some changes come before the work for the first request has begun, some after.
      if (revision % 2 === 0) await nextTurn()
      const name = `revision ${revision}`
      applyTo(state, revision, { flags: [booleanState('f-5', 5, name)] })
      const snapshot = await wholes.get(state, currentForm)
      t.equal(snapshot.revision, revision)
      t.ok(wholeOf(snapshot.text).includes(`"name":"${name}"`))
      t.ok((await asking).revision >= revision - 1)
    }
  })

  await t.test('belong to the state that was asked about', async (t) => {
    const wholes = new Wholes(scheduler)
    const before = stateOf('a', 9, { flags: [booleanState('before')] })
    const after = stateOf('a', 5, { flags: [booleanState('after')] })
    const asked = [before, after, before].map((state) => wholes.get(state, currentForm))
    const keys = (await Promise.all(asked)).map(
      ({ text }) => /"flags":\[\{"key":"(\w+)"/.exec(String(wholeOf(text)))?.[1],
    )
    t.strictSame(keys, ['before', 'after', 'before'])
  })

  await t.test('that get too large are looked at again after a change only', async (t) => {
    const wholes = new Wholes(scheduler)
    const flag = booleanState('f')
    const [rollout] = flag.rollouts ?? []
    const state = stateOf('a', 1, {
      segments: [{ key: 'pro', constraints: [{ property: 'x'.repeat(1_000_000) }] }],
      flags: [{ ...flag, rollouts: Array.from({ length: 500 }, () => rollout ?? {}) }],
    })
    const refusalOf = () => wholes.get(state, currentForm).catch((error: unknown) => error)
    const refusal = await refusalOf()
    t.match(refusal, { code: 'invalid_argument', reason: 'snapshot_too_large' })
    t.equal(await refusalOf(), refusal)
    applyTo(state, 2, { segments: [segmentFor('pro', 'x')] })
    t.equal((await wholes.get(state, currentForm)).revision, 2)
  })
})

t.test('the bytes of small wholes', async (t) => {
  await t.test('are made once for each encoding', async (t) => {
    const wholes = new Wholes(scheduler)
    const snapshot = await wholes.get(stateOf('a', 1, { flags: manyFlags(1000) }), currentForm)
    const ask = () =>
      Promise.all([
        wholes.bytesOf(snapshot, 'identity'),
        wholes.bytesOf(snapshot, 'gzip'),
        wholes.frameOf(snapshot),
      ])
    const [first, ...others] = await Promise.all([ask(), ask(), ask()])
    const [bytes, zipped, frame] = first
    for (const other of [...others, await ask()]) {
      t.ok(other.every((buffer, index) => buffer === first[index]))
    }
    t.equal(bytes.length, snapshot.text.length)
    t.ok(gunzipSync(zipped).equals(bytes))
    t.ok(zipped.length * 10 < bytes.length)
    t.equal(String(frame), `id: 1\nevent: snapshot\ndata: ${bytes}\n\n`)
  })

  await t.test('take no more than a bound: the least recently used go first', async (t) => {
    const states = Array.from({ length: 20 }, (_, i) =>
      stateOf(`${i}`, 1, { flags: manyFlags(100) }),
    )
    const bytesOf = async (wholes: Wholes, i: number) => {
      const state = states[i] ?? stateOf('none', 1, {})
      return wholes.bytesOf(await wholes.get(state, currentForm), 'identity')
    }
    const alone = new Wholes(scheduler)
    await bytesOf(alone, 19)
    const maxBytes = alone.cachedBytes * 5 + 10
    const wholes = new Wholes(scheduler, maxBytes)
    const made: Buffer[] = []
    for (const i of states.keys()) made.push(await bytesOf(wholes, i))
    t.ok(wholes.cachedBytes > alone.cachedBytes * 4)
    t.ok(wholes.cachedBytes <= maxBytes, `${wholes.cachedBytes} bytes`)
    t.equal(await bytesOf(wholes, 19), made[19], 'the last one is kept')
    t.not(await bytesOf(wholes, 0), made[0], 'the first one is not')
  })

  await t.test('are served even where there is no room for them', async (t) => {
    const wholes = new Wholes(scheduler, 100)
    const snapshot = await wholes.get(stateOf('a', 1, { flags: manyFlags(10) }), currentForm)
    t.equal((await wholes.bytesOf(snapshot, 'identity')).length, snapshot.text.length)
    t.equal(wholes.cachedBytes, 0)
  })
})

t.test('a large whole', async (t) => {
  const state = stateOf('a', 7, { flags: manyFlags(5000), segments: [segmentFor('pro', 'é')] })
  const { text } = await new Wholes(scheduler).get(state, currentForm)

  await t.test('is sent in slices, of which each is small', async (t) => {
    const slices = [...text.slices()]
    t.ok(slices.length > 10)
    t.ok(slices.every(({ length }) => length < 512 * 1024))
    const whole = Buffer.concat(slices)
    t.equal(whole.length, text.length, 'and its length is known before')
    t.equal((JSON.parse(String(whole)) as { flags: unknown[] }).flags.length, 5000)
  })

  await t.test('is an event in slices', async (t) => {
    const frame = toFrame(text, { id: '7', event: 'snapshot' }, scheduler)
    if (Buffer.isBuffer(frame)) throw new Error('it is whole')
    const sent = Buffer.concat(await collect(frame.slices()))
    t.equal(sent.length, frame.length)
    t.equal(String(sent), `id: 7\nevent: snapshot\ndata: ${wholeOf(text)}\n\n`)
  })

  await t.test('leaves the event loop to others, however fast it is read', async (t) => {
    let turns = 0
    let isDone = false
    const count = async () => {
      while (!isDone) {
        await nextTurn()
        turns++
      }
    }
    const counting = count()
    const eager = { yield: () => scheduler.yield(), shouldYield: true } as EventLoopScheduler
    const slices = await collect(yieldBetween(text.slices(), eager))
    isDone = true
    await counting
    t.ok(turns >= slices.length, `${turns} turns`)
  })
})
