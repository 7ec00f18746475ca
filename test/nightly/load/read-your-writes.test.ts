import t from 'tap'
import { figure } from '../../support/figures.ts'
import { type Fleet, startFleet } from '../../support/fleet.ts'
import { type Answer, call } from '../../support/http.ts'
import { percentiles } from '../../support/load.ts'

const writes = 2000
const ownWrites = 500

/** How long a gateway holds back the answer to a write until it shows it itself. */
const ownWriteWaitMs = 500

/** Each has a flag to itself, so that it knows what every answer has to be. */
const writers = 8

const namespace = '/api/v1/namespaces/default'
const context = { targetingKey: 'e' }

/** All that serves what a flag serves, by gateway and flag. */
type Read = (key: string) => readonly [method: string, path: string, body?: object]

const reads = {
  evaluation: (flagKey) => ['POST', '/evaluate/v1/variant', { flagKey, entityId: 'e' }],
  management: (key) => ['GET', `${namespace}/flags/${key}`],
  ofrep: (key) => ['POST', `/ofrep/v1/evaluate/flags/${key}`, { context }],
  snapshot: () => ['GET', '/internal/v1/evaluation/snapshot/namespace/default'],
} as const satisfies Readonly<Record<string, Read>>

const kinds = Object.keys(reads) as (keyof typeof reads)[]

/** A flag that serves the number of its last write. */
async function openCounter({ urls, token }: Fleet, key: string) {
  const send = (gateway: number, request: ReturnType<Read>, headers = {}) => {
    const [method, path, body] = request
    const url = urls[gateway % urls.length] ?? ''
    return call(url, method, path, body, { authorization: `Bearer ${token}`, ...headers })
  }
  const make = async (path: string, body: object) => {
    const { status, body: made } = await send(0, ['POST', `${namespace}${path}`, body])
    if (status !== 200) throw new Error(`making ${path} was answered ${status}`)
    return made as { id: string }
  }
  const flag = `/flags/${key}`
  await make('/flags', { key, name: key, type: 'VARIANT_FLAG_TYPE', enabled: true })
  await make('/segments', { key, name: key })
  const { id } = await make(`${flag}/variants`, { key: 'v' })
  const rule = await make(`${flag}/rules`, { segmentKey: key, rank: 1 })
  await make(`${flag}/rules/${rule.id}/distributions`, { variantId: id, rollout: 100 })
  const path = `${namespace}${flag}/variants/${id}`
  return {
    send,
    write: (gateway: number, count: number) =>
      send(gateway, ['PUT', path, { key: 'v', attachment: `"${key} is ${count}"` }]),
    /** What an answer of whichever kind says that the number is. */
    countIn: ({ text }: Answer) =>
      Number(new RegExp(`${key} is (\\d+)`).exec(text)?.[1] ?? Number.NaN),
  }
}

/** Does something so many times with each of the counters, all of them at once. */
async function withCounters(
  fleet: Fleet,
  name: string,
  times: number,
  work: (counter: Awaited<ReturnType<typeof openCounter>>, key: string, i: number) => Promise<void>,
) {
  const working = Array.from({ length: writers }, async (_, writer) => {
    const key = `${name}-${writer}`
    const counter = await openCounter(fleet, key)
    for (let i = 1; i <= times / writers; i += 1) await work(counter, key, i)
  })
  await Promise.all(working)
}

t.test('a client that writes', { timeout: 240_000 }, async (t) => {
  const fleet = await startFleet(t, { gateways: 3, resources: 2 })

  /** Writes and reads so many times. @returns what was not as it should be */
  async function readBack(name: string, times: number, isElsewhere: boolean, minRevision: boolean) {
    const tookMs = new Map<string, number[]>(kinds.map((kind) => [kind, []]))
    const wrong: string[] = []
    let late = 0
    await withCounters(fleet, name, times, async ({ send, write, countIn }, key, i) => {
      const writtenAt = performance.now()
      const written = await write(i, i)
      const waitedMs = performance.now() - writtenAt
      const kind = kinds[i % kinds.length] ?? 'evaluation'
      const revision = written.headers.get('x-svc-revision') ?? ''
      const headers = minRevision ? { 'x-svc-min-revision': revision } : {}
      const startedAt = performance.now()
      const gateway = isElsewhere ? i + 1 + (i % 2) : i
      let answer = await send(gateway, reads[kind](key), headers)
      // A wait that a pause of the machine has made too long ends with a refusal…
      for (let tries = 1; answer.status === 503 && tries < 10; tries += 1) {
        late += 1
        answer = await send(gateway, reads[kind](key), headers)
      }
      tookMs.get(kind)?.push(performance.now() - startedAt)
      // …or with the answer to a write that its own gateway does not show yet.
      if (!minRevision && waitedMs >= ownWriteWaitMs) late += 1
      else if (written.status !== 200 || answer.status !== 200 || countIn(answer) !== i) {
        wrong.push(
          `${kind} of write ${i}: ${written.status} ${answer.status} ${answer.text.slice(0, 200)}`,
        )
      }
    })
    return { tookMs, wrong, late }
  }

  await t.test(`sees it at another gateway, ${writes} times`, async (t) => {
    const { tookMs, wrong, late } = await readBack('other', writes, true, true)
    for (const [kind, took] of tookMs) t.comment(`${kind}: ${percentiles(took)} ms`)
    t.equal([...tookMs.values()].flat().length, writes)
    figure(t, 'R-22', `stale reads of ${writes} at another gateway`, { atMost: 0 }, wrong.length)
    t.strictSame(wrong.slice(0, 5), [], 'no stale answer')
    t.ok(late <= writes / 100, `${late} refusals`)
    const { wrong: stale } = await readBack('luck', ownWrites, true, false)
    t.comment(`without the header ${stale.length} of ${ownWrites} are stale`)
  })

  await t.test(`sees it at the same gateway without asking, ${ownWrites} times`, async (t) => {
    const { wrong, late } = await readBack('same', ownWrites, false, false)
    t.strictSame(wrong.slice(0, 5), [])
    t.ok(late <= ownWrites / 100, `${late} waits were given up`)
  })
})
