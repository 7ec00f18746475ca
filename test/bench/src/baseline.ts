import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { startFleet } from '@svc/test/support/fleet'
import { build, openBuild } from '@svc/test/support/releases'

interface Baseline {
  readonly startFleet: typeof startFleet
}

/**
 * The services of an earlier commit, built from the history of this repository when they are not there.
 *
 * `BENCH_BASELINE` names a checkout to use instead.
 */
export async function openBaseline(commit: string, say: (line: string) => void): Promise<Baseline> {
  const { BENCH_BASELINE } = process.env
  const directory = BENCH_BASELINE ?? (await openBuild(commit)).directory
  if (BENCH_BASELINE !== undefined) await build(BENCH_BASELINE)
  say(`the baseline is ${directory}`)
  return import(pathToFileURL(join(directory, 'test/dist/support/fleet.js')).href)
}
