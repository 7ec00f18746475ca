import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Comparison, Task } from './engine/process.ts'
import type { Order } from './engine/workload.ts'
import type { Figure, Row, RowId, Run } from './row.ts'

const peers: readonly (readonly [RowId, Task['peer'], atLeast: number])[] = [
  ['engine.flagd-core', 'flagd', 10],
  ['engine.unleash', 'unleash', 2],
  ['engine.flipt', 'flipt', 5],
]

const usual = { rounds: 15, turnMs: 200, warmUpMs: 2000 }
const quick = { rounds: 7, turnMs: 100, warmUpMs: 500 }

/** Many times what a comparison takes, on a machine that is busy with other things. */
const limitMs = 120_000

/** What an evaluation costs in process, beside the engines of other flag services. */
export async function measureEngine(run: Run): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [id, peer, atLeast] of peers) {
    const task = { ours: 'engine', peer } as const
    const inBulk = await compare(run, { ...task, order: 'in bulk' })
    const oneByOne = await compare(run, { ...task, order: 'one by one' })
    rows.push({
      ...toFigure(inBulk, 'in bulk'),
      id,
      target: { atLeast },
      also: {
        'one by one': { ...toFigure(oneByOne, 'one by one'), target: { atLeast } },
        'a boolean': {
          ratio: oneByOne.ours.boolean,
          unit: 'ns',
          target: { atMost: 1000 },
          what: 'ours, one by one, with a segment of two constraints and a threshold',
          detail: '',
        },
      },
    })
  }
  return rows
}

/** Compares two engines in a process of their own. */
export async function compare(
  run: Run,
  sides: Pick<Task, 'ours' | 'peer' | 'order'>,
): Promise<Comparison> {
  const child = fork(fileURLToPath(new URL('./engine/process.js', import.meta.url)))
  run.teardown(async () => {
    child.kill('SIGKILL')
  })
  const task: Task = { ...sides, ...(run.quick ? quick : usual) }
  child.send(task)
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`comparing with ${sides.peer} ended with ${code}`)
  })
  const answered = once(child, 'message', { signal: AbortSignal.timeout(limitMs) })
  const [comparison] = (await Promise.race([answered, failed])) as [Comparison]
  failed.catch(() => {})
  return comparison
}

function toFigure({ peerName, ratio, peer, ours }: Comparison, order: Order): Figure {
  const [boolean, variant] = (['boolean', 'variant'] as const).map(
    (type) => `${type} ${peer[type].toFixed(0)}/${ours[type].toFixed(0)} ns`,
  )
  return {
    ratio,
    what: `time of ${peerName} over ours, the flags of an entity ${order}`,
    detail: `${boolean}, ${variant}`,
  }
}
