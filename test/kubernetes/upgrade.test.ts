import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { allEnded } from './support/cluster.ts'
import { command } from './support/commands.ts'
import { atMost, note } from './support/figures.ts'
import {
  ensureInstalled,
  prepareNamespaces,
  previousTag,
  type Release,
  rollback,
  upgrade,
} from './support/release.ts'
import { countOf, startTraffic } from './support/traffic.ts'

t.setTimeout(1_800_000)

/** Flags that are there from the start and that nothing writes. */
const still = 50
/** Flags that are written all the time, one after the other. */
const written = Array.from({ length: 5 }, (_, i) => `written-${i}`)

const flags = '/api/v1/namespaces/default/flags'
const cli = fileURLToPath(import.meta.resolve('@svc/cli/main'))

/** As users have it who come from the release before. */
const previousValues = { image: { tag: previousTag } }

if (previousTag === undefined) {
  const limit = 'its commit is not in this clone'
  note({ what: 'upgrade from the release before', value: 'not run', limit })
}

t.test(
  'an upgrade from the release before, and back, fails no request and loses nothing',
  { skip: previousTag === undefined },
  async (t) => {
    await prepareNamespaces()
    const release = await ensureInstalled(previousValues)
    for (let i = 0; i < still; i += 1) await createFlag(release, `still-${i}`)
    for (const key of written) await createFlag(release, key)
    const before = await exportAll(release)

    for (const { what, work } of [
      { what: `${previousTag} to this`, work: () => upgrade() },
      { what: `this to ${previousTag}, by helm rollback`, work: rollback },
    ]) {
      const traffic = startTraffic(t, release, { perSecond: 100 })
      const writer = startWriter(release)
      await work()
      await allEnded()
      const { failed, total } = await traffic.stop()
      const writes = await writer.stop()
      t.strictSame(failed, {}, what)
      t.strictSame(writes.failed, [], `writes, ${what}`)
      atMost(t, `${what}: failed or wrong of ${total}`, countOf(failed), 0)
      atMost(t, `${what}: failed of ${writes.count} writes`, writes.failed.length, 0)

      const after = await exportAll(release)
      t.strictSame(
        without(after, written),
        without(before, written),
        'what was not written is equal',
      )
      for (const [key, text] of writes.last) t.match(after.get(key), { description: text }, key)
    }
  },
)

async function createFlag({ api }: Release, key: string): Promise<void> {
  const variants = [{ key: 'one' }, { key: 'two' }]
  const body = { key, name: key, type: 'VARIANT_FLAG_TYPE', enabled: true, variants }
  const { status, text } = await api('POST', flags, body)
  if (status !== 200) throw new Error(`${key}: ${text}`)
}

/** Writes one flag after the other, ten times a second at most; each write has to be acknowledged. */
function startWriter({ api }: Release) {
  const last = new Map<string, string>()
  const failed: string[] = []
  let count = 0
  let isOver = false
  const writing = (async () => {
    for (; !isOver; await sleep(100)) {
      const key = written[count % written.length] ?? ''
      const description = `write ${count}`
      count += 1
      const answer = await api('PUT', `${flags}/${key}`, { name: key, description }).catch(
        (error: unknown) => ({ status: 0, text: String(error) }),
      )
      if (answer.status === 200) last.set(key, description)
      else failed.push(`${answer.status} ${answer.text}`)
    }
  })()
  return {
    async stop() {
      isOver = true
      await writing
      return { count, failed, last }
    },
  }
}

interface Exported {
  readonly namespace: { readonly key: string }
  readonly flags?: readonly { readonly key: string }[]
}

/** Every flag of the namespace `default` as the command line exports it, by its key. */
async function exportAll({ url, token }: Release): Promise<ReadonlyMap<string, object>> {
  const env = { ...process.env, SVC_URL: url, SVC_TOKEN: token, SOURCE_DATE_EPOCH: '0' }
  const text = await command(process.execPath, [cli, 'export', '--all-namespaces'], { env })
  const documents = parseAllDocuments(text).map((one) => one.toJS() as Exported)
  return new Map(documents.flatMap(({ flags = [] }) => flags.map((flag) => [flag.key, flag])))
}

function without(
  flags: ReadonlyMap<string, object>,
  keys: readonly string[],
): readonly (readonly [string, object])[] {
  return Array.from(flags).filter(([key]) => !keys.includes(key))
}
