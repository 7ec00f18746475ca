// What `pnpm conformance` runs: asks every side all vectors and prints one table. Ends with 0 only at 100 %.
import { AppError } from '@svc/runtime'
import { startTestServers } from '../support/run.servers.ts'
import { isConformant, type Result, toTable } from './report.ts'
import { runConformance } from './run.ts'
import { sides } from './sides.ts'

const say = (line: string) => console.log(line)
const undoings: (() => Promise<void>)[] = []
let isEnding = false

/** @returns the exit code */
async function main(): Promise<number> {
  const [unknown] = process.argv.slice(2).filter((arg) => arg !== '--')
  if (unknown !== undefined) {
    process.stderr.write(`${unknown} is not known here. Use: pnpm conformance\n`)
    return 2
  }
  const servers = await startTestServers(say)
  undoings.push(servers.stop)
  Object.assign(process.env, servers.env)
  const t = { teardown: (work: () => Promise<void>) => void undoings.push(work) }
  const results = await runConformance(t, sides, 1, ({ name, asked, right, wrong }) => {
    say(`${name}: ${right} of ${asked}`)
    for (const difference of wrong) say(`  ${difference}`)
  })
  return report(results)
}

function report(results: readonly Result[]): number {
  say(`\n${toTable(results)}\n`)
  const isRight = isConformant(results)
  say(isRight ? 'All sides agree.' : 'NOT CONFORMANT.')
  return isRight ? 0 : 1
}

/** Undoes what was done, the last step first. */
async function end(code: number): Promise<never> {
  isEnding = true
  for (const work of undoings.splice(0).toReversed()) await work()
  process.exit(code)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
  process.once(signal, () => {
    if (!isEnding) end(130).catch(() => process.exit(130))
  })
}
process.channel?.unref()

main()
  .then(
    (code) => (isEnding ? undefined : end(code)),
    (error: unknown) => {
      if (isEnding) return
      const text = error instanceof AppError ? error.message : undefined
      process.stderr.write(`${text ?? (error instanceof Error ? error.stack : String(error))}\n`)
      return end(2)
    },
  )
  .catch(() => process.exit(2))
