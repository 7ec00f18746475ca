// What `pnpm bench` runs: measures the rows one after the other and prints one table.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AppError } from '@svc/runtime'
import { describeMachine, pinClient } from '@svc/test/support/machine'
import { startTestServers } from '@svc/test/support/run.servers'
import { choose, readOptions } from './options.ts'
import { type Entry, entries, suites } from './registry.ts'
import type { Row } from './row.ts'
import { toTable } from './table.ts'

const compileCache = fileURLToPath(
  new URL('../../../node_modules/.cache/compiled', import.meta.url),
)

const say = (line: string) => console.log(line)
const undoings: (() => Promise<void>)[] = []

/** @returns the exit code */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  const chosen = choose(options.suite === undefined ? entries : suites[options.suite], options.only)
  // As users' have it, who start the services as the README says.
  process.env.NODE_COMPILE_CACHE = compileCache
  if (chosen.some(({ needsDatabase }) => needsDatabase)) {
    const servers = await startTestServers(say)
    undoings.push(servers.stop)
    Object.assign(process.env, servers.env)
  }
  // All that is started from here on runs beside the client, until it is put elsewhere. The database,
  // which has nothing to do but where changes are measured, runs where there is room.
  pinClient(say)
  const rows: Row[] = []
  for (const entry of chosen) rows.push(...(await measure(entry, options.quick)))
  say(`\n${describeMachine()}\n`)
  say(toTable(rows))
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ rows })}\n`)
  return 0
}

async function measure({ ids, measure }: Entry, quick: boolean): Promise<readonly Row[]> {
  const [name] = ids[0]?.split('.') ?? []
  const kept = undoings.length
  const startedAt = performance.now()
  try {
    return await measure({
      quick,
      say: (line) => say(`${name}: ${line}`),
      teardown: (work) => undoings.push(work),
    })
  } finally {
    await undo(kept)
    say(`${name}: took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  }
}

/** Undoes what was done after the first `kept` steps, the last one first. */
async function undo(kept: number): Promise<void> {
  for (const work of undoings.splice(kept).toReversed()) await work()
}

async function end(code: number): Promise<never> {
  await undo(0)
  process.exit(code)
}

let isEnding = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
  process.once(signal, () => {
    if (isEnding) return
    isEnding = true
    end(130).catch(() => process.exit(130))
  })
}
process.channel?.unref()

main()
  .then(end, (error: unknown) => {
    if (isEnding) return
    const text = error instanceof AppError ? error.message : undefined
    process.stderr.write(`${text ?? (error instanceof Error ? error.stack : String(error))}\n`)
    return end(2)
  })
  .catch(() => process.exit(2))
