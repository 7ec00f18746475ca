import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@svc/local/postgres'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { askToApply, makeDraft, readDraft, untilSettled } from '../support/drafts.ts'
import { figure } from '../support/figures.ts'
import { startFleet } from '../support/fleet.ts'

/** Flags of the draft. */
const count = Number(process.env.DRAFT_FLAGS ?? 10_000)
/** The points of its application at which a process is killed; a kill that comes too late is repeated. */
const kills = Number(process.env.DRAFT_KILLS ?? 10)

const namespace = '/api/v1/namespaces/default'

function flagsOf(round: number): object[] {
  return Array.from({ length: count }, (_, n) => {
    const rollouts = [{ threshold: { percentage: 50, value: true } }]
    const flag = { type: 'BOOLEAN_FLAG_TYPE', name: `Round ${round}`, rollouts }
    return { kind: 'FLAG_KIND', key: `flag-${n}`, flag }
  })
}

t.test(`a draft of ${count} flags is applied, and killed at ${kills} points`, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-draft-kill-'))
  let postgres = await startPostgres({ directory })
  const { port } = postgres
  t.teardown(async () => {
    await postgres.stop()
    await rm(directory, { recursive: true })
  })
  const { api, resources } = await startFleet(t, { databaseUrl: postgres.url })
  const [resource] = resources
  if (resource === undefined) throw new Error('no fleet')
  const victims: Readonly<Record<string, () => Promise<void>>> = {
    async 'the resource service'() {
      await resource.kill()
      await resource.restart()
    },
    async PostgreSQL() {
      process.kill(postgres.pid, 'SIGKILL')
      await postgres.ended
      postgres = await startPostgres({ directory, port })
    },
  }

  const apply = async (round: number) => {
    const id = await makeDraft(api, 'default', flagsOf(round))
    await askToApply(api, 'default', id)
    return id
  }
  /** The different names of all flags, at one revision; tried again while there is no answer. */
  const readNames = async () => {
    const names = new Set<string>()
    let [flags, token] = [0, '']
    do {
      let page: Page | undefined
      await waitFor(async () => {
        const path = `${namespace}/document?limit=1000&pageToken=${token}`
        const answer = await api('GET', path).catch(() => undefined)
        page = answer?.status === 200 ? (answer.body as Page) : undefined
        return page !== undefined
      })
      for (const { name } of page?.flags ?? []) names.add(name)
      flags += page?.flags.length ?? 0
      token = page?.nextPageToken ?? ''
    } while (token !== '')
    return { names: [...names], flags }
  }

  const first = await apply(0)
  const startedAt = performance.now()
  t.match(await untilSettled(api, 'default', first), { state: 'APPLIED_DRAFT_STATE' })
  let usualMs = performance.now() - startedAt
  t.comment(`applied in ${Math.round(usualMs)} ms without a kill`)

  let midway = 0
  const revisions: number[] = []
  for (let round = 1; midway < kills && round <= 3 * kills; round++) {
    const [name, kill] = Object.entries(victims)[round % 2] ?? []
    const id = await apply(round)
    await sleep(((midway + 0.5) / kills) * usualMs)
    const before = await readDraft(api, 'default', id)
    if (before?.state === 'APPLYING_DRAFT_STATE') midway += 1
    else usualMs *= 0.8
    await kill?.()
    const { names, flags } = await readNames()
    t.equal(flags, count)
    const isWhole = names.length === 1 && [round - 1, round].includes(Number(names[0]?.slice(6)))
    t.ok(isWhole, `all or nothing after ${name} was killed in round ${round}: ${names.slice(0, 5)}`)
    const draft = await untilSettled(api, 'default', id)
    t.equal(draft.state, 'APPLIED_DRAFT_STATE', draft.failure)
    t.strictSame(await readNames(), { names: [`Round ${round}`], flags: count })
    revisions.push(draft.revision)
  }
  t.comment(`${midway} of ${revisions.length} kills were midway`)
  t.equal(midway, kills, 'the kills were midway')

  const { body } = await api('GET', `${namespace}/changes?source=apply&limit=500`)
  const changes = (body as { changes: readonly Change[] }).changes.map(({ revision }) => revision)
  const expected = `${revisions}`
  const isOnce = `${changes.slice(0, -1).toReversed()}` === expected
  figure(t, 'R-9', `drafts of ${kills} that are not one change`, { atMost: 0 }, isOnce ? 0 : 1)
  for (let after = 0, next = -1; next !== 0; after = next) {
    const path = `${namespace}/changes/verification?after=${after}`
    const { status, body, text } = await api('GET', path)
    t.match([status, body], [200, { intact: true }], text.slice(0, 300))
    next = status === 200 ? (body as { next: number }).next : 0
  }
})

interface Page {
  readonly flags: readonly { readonly name: string }[]
  readonly nextPageToken: string
}

interface Change {
  readonly revision: number
}
