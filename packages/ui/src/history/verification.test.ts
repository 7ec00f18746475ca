import t from 'tap'
import { type Slice, verifyLog } from './verification.ts'

const slice = (next: number, more: Partial<Slice> = {}): Slice => ({
  ...{ intact: true, checked: 10, head: `h${next}`, fault: '', next, gaps: [], unproven: [] },
  ...more,
})

const run = (verify: (after: number) => Promise<Slice>, signal = new AbortController().signal) => {
  const seen: number[] = []
  const done = verifyLog(verify, { signal, onProgress: ({ checked }) => seen.push(checked) })
  return { seen, done }
}

t.test('a log is verified part by part to its end', async (t) => {
  const asked: number[] = []
  const { seen, done } = run(async (after) => {
    asked.push(after)
    const gaps = after === 10 ? [{ from: 12, to: 13 }] : []
    return slice(after < 20 ? after + 10 : 0, { gaps })
  })
  t.match(await done, { intact: true, checked: 30, head: 'h0', isDone: true })
  t.strictSame(asked, [0, 10, 20])
  t.strictSame(seen, [10, 20, 30], 'and tells how far it is')
  t.strictSame((await done).gaps, [{ from: 12, to: 13 }])
})

t.test('it ends at a break', async (t) => {
  const broken = { intact: false, checked: 3, brokenAt: 14, fault: 'revision 14 is missing' }
  const { done } = run(async (after) => (after === 0 ? slice(10) : slice(0, broken)))
  t.match(await done, { intact: false, checked: 13, brokenAt: 14, isDone: true })
})

t.test('it ends after a bound, and can go on', async (t) => {
  const verify = async (after: number) => slice(after < 1500 ? after + 10 : 0)
  const first = await run(verify).done
  t.match(first, { checked: 1000, next: 1000, isDone: false })
  const { signal } = new AbortController()
  const all = await verifyLog(verify, { signal, onProgress: () => {}, found: first })
  t.match(all, { checked: 1510, isDone: true })
})

t.test('an answer that leads nowhere ends it', async (t) => {
  const { seen, done } = run(async () => slice(5))
  t.equal((await done).isDone, true)
  t.equal(seen.length, 2)
})

t.test('it can be stopped', async (t) => {
  const stop = new AbortController()
  const { seen, done } = run(async () => {
    stop.abort(new Error('stopped'))
    return slice(10)
  }, stop.signal)
  await t.rejects(done, { message: 'stopped' })
  t.strictSame(seen, [])
})
