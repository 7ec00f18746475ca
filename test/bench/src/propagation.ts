import { createTestDatabase } from '@svc/database/testing'
import { onBothCores } from '@svc/test/support/machine'
import { measurePropagation, type Propagation, toHistogram } from '@svc/test/support/propagation'
import { startSilentPostgres } from '@svc/test/support/silent-postgres'
import { percentile } from './load/statistics.ts'
import type { Figure, Row, Run } from './row.ts'

const usual = { changes: 2000, unheard: 100 }
const quick = { changes: 500, unheard: 20 }

const perSecond = 50

/** Each takes half a second, so that a warm-up of the usual length would take longer than the rest. */
const unheardRates = { perSecond: 3, warmUpChanges: 5 }

/** How long a change takes to be seen at each of three gateways. */
export async function measurePropagationRow(run: Run): Promise<readonly Row[]> {
  const { changes, unheard } = run.quick ? quick : usual
  const { url } = await createTestDatabase(run)
  const notified = await measure(run, { databaseUrl: url, changes, perSecond })
  const silent = await startSilentPostgres(run, (await createTestDatabase(run)).url)
  const lost = await measure(run, { databaseUrl: silent.url, changes: unheard, ...unheardRates })
  const count = `${notified.delaysMs.length} of ${3 * changes} seen, ${notified.stepsBack} out of order`
  const rate = `${notified.perSecond.toFixed(0)} changes a second, nothing is pinned`
  return [
    {
      ...figure(
        notified,
        99,
        50,
        'from the answer to a write to an evaluation on each of 3 gateways',
      ),
      id: 'propagation.p99-ms',
      detail: `99 % of ${count}, ${rate}`,
      also: {
        median: figure(notified, 50, undefined, 'the same, half of them'),
        maximum: figure(notified, 100, 500, 'the same, all of them'),
        unheard: figure(lost, 100, 2000, 'the same, when no notification gets through'),
      },
    },
  ]
}

async function measure(run: Run, options: Parameters<typeof measurePropagation>[1]) {
  // Six services and a database at once: on one core they would mostly wait for each other.
  const measured = await onBothCores(() => measurePropagation(run, options))
  for (const line of toHistogram(measured)) run.say(line)
  if (measured.missed > 0) throw new Error(`${measured.missed} changes have not been seen`)
  if (measured.stepsBack > 0) throw new Error(`${measured.stepsBack} were seen out of order`)
  return measured
}

function figure(
  { delaysMs }: Propagation,
  percent: number,
  atMost: number | undefined,
  what: string,
): Figure {
  const ratio = percentile(delaysMs, percent)
  return {
    ratio,
    unit: 'ms',
    what,
    detail: '',
    ...(atMost === undefined ? {} : { target: { atMost } }),
  }
}
