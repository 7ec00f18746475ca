// What `pnpm test:kubernetes` runs: a cluster on this machine, and in it the tests of this folder, in order.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { whenAskedToEnd } from '@svc/local/start.signals'
import { runFiles } from '../support/run.files.ts'
import { listTestFiles } from '../support/run.options.ts'
import { describeOutcome, describeTotal } from '../support/run.report.ts'
import { clusterEnv, startCluster, stopCluster, whatIsMissing } from './support/bring-up.ts'
import { describeFigures } from './support/figures.ts'
import { buildImages } from './support/images.ts'

/** This file is test/dist/kubernetes/main.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The order in which the files run: each goes on from the release that the one before left. */
const order = [
  'install',
  'exchange',
  'policies',
  'rolls',
  'scale',
  'autoscaler',
  'drain',
  'kills',
  'upgrade',
  'uninstall',
]

const usage = `Use: pnpm test:kubernetes [--keep] [NAME…]

  NAME     ${order.join(', ')} (all)
  --keep   leaves the cluster up, and uses one that is

KUBE_BIN is the folder of the programs, which test/kubernetes/cluster/build.sh makes. ROLLS, SCALINGS, KILLS and
LIFETIMES set how often rolls, scale, kills and exchange repeat: 2, 1, 3 and 2.
`

/** @returns the exit code */
async function main(): Promise<number> {
  const options = readOptions()
  if (options === undefined) {
    process.stderr.write(usage)
    return 2
  }
  const missing = whatIsMissing()
  if (missing !== undefined) {
    console.log(box(`There is no cluster: ${missing}. Nothing ran.`))
    console.log('0 passed, 0 failed')
    return 0
  }
  const signal = whenAskedToEnd()
  const figures = join(root, '.tap', 'kubernetes.figures')
  mkdirSync(join(root, '.tap'), { recursive: true })
  rmSync(figures, { force: true })
  try {
    const images = await buildImages(root, signal)
    await startCluster(images.all, signal)
    const total = await runFiles(
      options.names.flatMap((name) => {
        const source = `test/kubernetes/${name}.test.ts`
        return listTestFiles(root).filter((file) => file.source === source)
      }),
      {
        root,
        env: {
          ...process.env,
          ...clusterEnv(),
          SVC_TEST_FIGURES: figures,
          SVC_TEST_IMAGE_TAG: images.tag,
          SVC_TEST_PREVIOUS_TAG: images.previousTag,
        },
        reportFile: join(root, '.tap', 'results.tap'),
        signal,
        onEnd: (group, outcome) => process.stdout.write(describeOutcome(group, outcome)),
      },
    )
    console.log(`\n${describeFigures(figures)}\n`)
    console.log(describeTotal(total))
    if (signal.aborted) return 130
    return total.failed > 0 ? 1 : 0
  } finally {
    if (!options.keep) await stopCluster()
  }
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      // pnpm hands on the `--` before the options.
      args: process.argv.slice(2).filter((arg) => arg !== '--'),
      options: { keep: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    if (positionals.some((name) => !order.includes(name))) return undefined
    const names = order.filter((name) => positionals.length === 0 || positionals.includes(name))
    return { keep: values.keep, names }
  } catch {
    return undefined
  }
}

function box(text: string): string {
  const rule = '#'.repeat(text.length + 4)
  return `\n${rule}\n# ${text} #\n${rule}\n`
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(2)
  },
)
