import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toggleFlags } from '@svc/test/support/many-flags'
import type { Changed, ClientTask, Ready } from './client/process.ts'
import type { Comparison } from './engine/process.ts'
import { compare } from './engine.ts'
import { namespaceKey, type SizedFleet, startSizedFleet } from './growth/sized-fleet.ts'
import { median } from './load/statistics.ts'
import type { Figure, Row, Run } from './row.ts'

const order = 'one by one'

/** What the client adds to the engine, and what an evaluation takes beside the clients of others. */
export async function measureClient(run: Run): Promise<readonly Row[]> {
  const toFigure = ({ ratio, peer, ours }: Comparison, what: string): Figure => {
    const pair = (type: 'boolean' | 'variant') =>
      `${type} ${peer[type].toFixed(0)}/${ours[type].toFixed(0)} ns`
    return { ratio, what, detail: `${pair('boolean')}, ${pair('variant')}` }
  }
  const bare = await compare(run, { ours: 'engine with values', peer: 'client', order })
  const texts = await compare(run, { ours: 'engine', peer: 'client with texts', order })
  const flagd = await compare(run, { ours: 'client', peer: 'flagd', order })
  const unleash = await compare(run, { ours: 'client', peer: 'unleash', order })
  const target = { atMost: 1.2 }
  const what = 'time of an evaluation by the client over one by the bare engine'
  return [
    {
      id: 'client.engine',
      ...toFigure(bare, what),
      target,
      also: { 'with texts': { ...toFigure(texts, 'the same with a context of texts'), target } },
    },
    ...(
      [
        ['client.flagd-core', flagd],
        ['client.unleash', unleash],
      ] as const
    ).map(([id, compared]): Row => {
      const what = `time of ${compared.peerName} over that of the client, one by one`
      return { id, ...toFigure(compared, what), target: { atLeast: 5 } }
    }),
  ]
}

const flagCount = 100_000
const repetitions = { usual: 3, quick: 1 }

/** Many times what it takes, on a machine that is busy with other things. */
const limitMs = 240_000

/** A client of very many flags: its start, and a change of all of them. */
export async function measureClientAtSize(run: Run): Promise<readonly Row[]> {
  run.say(`making ${flagCount} flags`)
  const fleet = await startSizedFleet(run, flagCount)
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  run.teardown(() => rm(folder, { recursive: true }))
  const starts: Ready[] = []
  const changes: Changed[] = []
  for (let i = 0; i < (run.quick ? repetitions.quick : repetitions.usual); i++) {
    const file = join(folder, `${i}.json`)
    const { ready, changed } = await runClient(run, fleet, file)
    starts.push(ready)
    changes.push(changed)
    const turns = `longest turn ${changed.longestTurnMs.toFixed(1)} ms`
    run.say(`ready after ${ready.readyMs.toFixed(0)} ms; ${turns}`)
  }
  await fleet.stop()
  const [first, ...others] = starts.map(({ readyMs }) => readyMs)
  const list = (values: readonly number[], digits: number) =>
    values.map((value) => value.toFixed(digits)).join(', ')
  const turns = changes.map(({ longestTurnMs }) => longestTurnMs)
  return [
    {
      id: 'client.ready-ms',
      unit: 'ms',
      ratio: first ?? Number.NaN,
      target: { atMost: 3000 },
      what: `until the first client of a gateway has ${flagCount} flags`,
      detail: others.length === 0 ? '' : `the next ones: ${list(others, 0)} ms`,
      also: {
        memory: {
          ratio: median(starts.map(({ bytesPerFlag }) => bytesPerFlag)),
          unit: 'bytes',
          target: { atMost: 1024 },
          what: 'of memory for each flag, every one of them evaluated once',
          detail: '',
        },
      },
    },
    {
      id: 'client.turn-ms',
      unit: 'ms',
      ratio: median(turns),
      target: { atMost: 20 },
      what: `longest turn of the event loop while a change of ${flagCount} flags comes and is written to disk`,
      detail: list(turns, 1),
    },
  ]
}

/** Starts a client, changes all flags, and lets it write them to its file. */
async function runClient(run: Run, { gateway, token, db, keys }: SizedFleet, file: string) {
  const child = fork(fileURLToPath(new URL('./client/process.js', import.meta.url)), {
    execArgv: ['--expose-gc'],
  })
  run.teardown(async () => {
    child.kill('SIGKILL')
  })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the client ended with ${code}`)
  })
  failed.catch(() => {})
  const answer = async <Answer>(message: object): Promise<Answer> => {
    const answered = once(child, 'message', { signal: AbortSignal.timeout(limitMs) })
    child.send(message)
    const [received] = await Promise.race([answered, failed])
    return received as Answer
  }
  const task: ClientTask = { url: gateway.url, token, namespaceKey, file, flagKeys: keys }
  const ready = await answer<Ready>(task)
  const revision = await toggleFlags(db, namespaceKey, keys)
  const changed = await answer<Changed>({ revision })
  child.kill('SIGKILL')
  return { ready, changed }
}
