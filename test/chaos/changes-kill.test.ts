import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalText, type DocumentOf } from '@svc/documents'
import { startPostgres } from '@svc/local/postgres'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { figure } from '../support/figures.ts'
import { startFleet } from '../support/fleet.ts'
import { createRandom } from '../support/random.ts'
import { drawChange } from '../support/random-changes.ts'

const kills = Number(process.env.CHANGE_KILLS ?? 50)
/** That are acknowledged. */
const writes = Number(process.env.KILLED_WRITES ?? 5000)
const seed = Number(process.env.KILL_SEED ?? 20_261_125)
const writers = 8

const namespaceKeys = ['default', 'other'] as const
const flags = '/api/v1/namespaces/default/flags'

/** Of flags that one writer makes and deletes. */
const ownPrefix = 'own-'

interface Change {
  readonly revision: number
  readonly comment: string
  readonly items: readonly {
    readonly kind: string
    readonly key: string
    readonly before?: string
    readonly after?: string
  }[]
}

interface Content {
  readonly settings: DocumentOf['namespace']
  readonly flags: readonly DocumentOf['flag'][]
  readonly segments: readonly DocumentOf['segment'][]
}

t.test(`PostgreSQL and services are killed ${kills} times in ${writes} writes`, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-changes-kill-'))
  let postgres = await startPostgres({ directory })
  const { port } = postgres
  t.teardown(async () => {
    await postgres.stop()
    await rm(directory, { recursive: true })
  })
  const { api, resources } = await startFleet(t, {
    databaseUrl: postgres.url,
    resources: 2,
    env: { SVC_CHANGES_KEY: 'k'.repeat(32) },
  })
  t.comment(`KILL_SEED=${seed}`)
  const random = createRandom(seed)

  /** The comment of each write is its number. */
  let next = 0
  /** What was sent, by its number. */
  const acknowledged = new Map<number, string>()
  const statuses = new Map<number, number>()
  let isOver = false
  const draw = (number: number) => {
    const namespaceKey = random.pick(namespaceKeys)
    const namespace = `/api/v1/namespaces/${namespaceKey}`
    if (random.below(6) > 0) return drawChange(random, namespaceKey)
    // Several objects in one change, and never what is there already.
    const key = `flag-${1 + random.below(6)}`
    const name = `Applied ${number}`
    const operations = [
      { kind: 'FLAG_KIND', key, flag: { type: 'BOOLEAN_FLAG_TYPE', name } },
      { kind: 'SEGMENT_KIND', key: 'applied', segment: { name } },
      { kind: 'NAMESPACE_KIND', patch: { description: name } },
    ]
    return ['POST', `${namespace}/apply`, { operations }] as const
  }
  const send = async (method: string, path: string, body?: object, number = next++) => {
    const { status } = await api(method, path, body, { 'x-svc-comment': String(number) })
    statuses.set(status, 1 + (statuses.get(status) ?? 0))
    // Deleting what is not there is acknowledged as well, and is no change.
    const hasChange = status === 200 && (method !== 'DELETE' || path.includes(ownPrefix))
    if (hasChange) acknowledged.set(number, `${method} ${path}`)
    else if (status >= 500) await sleep(20)
    return status
  }
  const writing = Array.from({ length: writers }, async () => {
    while (!isOver) {
      const number = next++
      const [method, path, body] = draw(number)
      await send(method, path, body, number)
      // One that is there, as this writer alone knows it.
      if (!random.happens(0.1)) continue
      const key = `${ownPrefix}${number}`
      const made = await send('POST', flags, { key, name: 'Own' })
      if (made === 200) await send('DELETE', `${flags}/${key}`)
    }
  })
  const victims = [
    async () => {
      process.kill(postgres.pid, 'SIGKILL')
      await postgres.ended
      postgres = await startPostgres({ directory, port })
    },
    ...resources.map((resource) => async () => {
      await resource.kill('SIGKILL')
      await resource.restart()
    }),
  ]
  for (let n = 0; n < kills; n++) {
    const enough = (writes * (n + 1)) / kills
    await waitFor(() => acknowledged.size >= enough)
    await sleep(random.below(100))
    await victims[n % victims.length]?.()
  }
  isOver = true
  await Promise.all(writing)
  t.comment(`answers: ${JSON.stringify(Object.fromEntries(statuses))}`)
  const unusual = [...statuses.keys()].filter(
    (status) => ![200, 400, 404, 409, 503, 504].includes(status),
  )
  t.strictSame(unusual, [], 'a fault is answered 503 or 504')
  t.ok(acknowledged.size >= writes, `${acknowledged.size} acknowledged`)

  const get = async <T>(path: string): Promise<T> => {
    const { status, body, text } = await api('GET', path)
    if (status !== 200) throw new Error(`${path}: ${text}`)
    return body as T
  }
  await waitFor(async () => (await api('GET', '/api/v1/namespaces')).status === 200)
  await api('POST', '/api/v1/namespaces', { key: 'other', name: 'Other' })

  const logged: string[] = []
  const torn: string[] = []
  for (const namespaceKey of namespaceKeys) {
    const namespace = `/api/v1/namespaces/${namespaceKey}`
    /** Documents by kind and key, as the log makes them one after the other. */
    const documents = new Map<string, string>()
    for (let after = 0; ; ) {
      const path = `${namespace}/changes?documents=true&limit=500&after=${after}`
      const { changes } = await get<{ changes: readonly Change[] }>(path)
      for (const { revision, comment, items } of changes) {
        if (comment !== '') logged.push(comment)
        for (const { kind, key, before, after } of items) {
          const id = `${kind} ${key}`
          // Only the namespace that every database begins with is older than the log.
          if (!documents.has(id) && id === 'NAMESPACE_KIND default') documents.set(id, before ?? '')
          const held = documents.get(id)
          if (held !== before) {
            torn.push(`${namespaceKey}:${revision} ${id}: ${held} is not ${before}`)
          }
          if (after === undefined) documents.delete(id)
          else documents.set(id, after)
        }
      }
      const last = changes.at(-1)
      if (last === undefined) break
      after = last.revision
    }
    const content = await get<Content>(`${namespace}/document?limit=1000`)
    const read = [
      [`NAMESPACE_KIND ${namespaceKey}`, canonicalText('namespace', content.settings)],
      ...content.flags.map((one) => [`FLAG_KIND ${one.key}`, canonicalText('flag', one)]),
      ...content.segments.map((one) => [`SEGMENT_KIND ${one.key}`, canonicalText('segment', one)]),
    ]
    t.strictSame([...documents].toSorted(), read.toSorted(), `${namespaceKey} is what its log says`)
    for (let after = 0; ; ) {
      const path = `${namespace}/changes/verification?after=${after}`
      const part = await get<{ intact: boolean; next: number; gaps: readonly unknown[] }>(path)
      t.ok(part.intact, `the chain of ${namespaceKey} is intact`)
      t.strictSame(part.gaps, [], `the chain of ${namespaceKey} has no gap`)
      if (part.next === 0) break
      after = part.next
    }
  }
  t.strictSame(torn, [], 'each change begins where the one before ended')
  const changes = new Set(logged)
  t.equal(changes.size, logged.length, 'no write has two changes')
  const lost = [...acknowledged].filter(([number]) => !changes.has(String(number)))
  t.strictSame(lost, [], 'each acknowledged write has its change')
  figure(
    t,
    'R-9',
    `acknowledged writes without their change, ${kills} kills`,
    { atMost: 0 },
    lost.length,
  )
  figure(t, 'R-9', 'changes that do not continue', { atMost: 0 }, torn.length)
  t.comment(`${logged.length} changes of ${next} writes, ${acknowledged.size} acknowledged`)
})
