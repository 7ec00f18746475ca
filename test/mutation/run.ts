import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findTestFiles, readRunOptions } from '../support/run.options.ts'
import { startTestServers } from '../support/run.servers.ts'
import { type Mutant, mutants } from './mutants.ts'
import { openScratch, type Scratch } from './scratch.ts'

/** Where the repository is: this file is test/dist/mutation/run.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A test that a mutant makes hang is one that does not pass. */
const limitMs = 180_000

/** As many as there are cores on the machines that this is meant for. */
const parallel = 2

/** Whether a test file passes in the copy. */
async function passes(scratch: Scratch, source: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [file] = findTestFiles(root, readRunOptions([source]))
  if (file === undefined || !existsSync(join(scratch.root, file.compiled))) {
    throw new Error(`${source} is not built`)
  }
  const child = spawn(process.execPath, [file.compiled], {
    cwd: scratch.root,
    env: { ...process.env, ...env, TAP_BAIL: '1', TAP_TIMEOUT: String(limitMs / 1000) },
    stdio: 'ignore',
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code === 0
}

/** @returns the first test that fails with it */
async function findCatch(
  scratch: Scratch,
  { compiled, from, to, tests }: Mutant,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const undo = scratch.change(compiled, from, to)
  try {
    for (const test of tests) if (!(await passes(scratch, test, env))) return test
    return undefined
  } finally {
    undo()
  }
}

/** Several at once, each in a copy of its own. */
async function inParallel<T>(
  items: readonly T[],
  work: (item: T, scratch: Scratch) => Promise<void>,
) {
  const rest = items.values()
  const workers = Array.from({ length: parallel }, async () => {
    const scratch = openScratch(root)
    try {
      for (const item of { [Symbol.iterator]: () => rest }) await work(item, scratch)
    } finally {
      scratch.remove()
    }
  })
  await Promise.all(workers)
}

async function main(): Promise<number> {
  const wanted = process.argv.slice(2)
  const chosen = mutants.filter(
    ({ file }) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  )
  const servers = await startTestServers((line) => console.log(line))
  const startedAt = performance.now()
  const escaped: string[] = []
  try {
    // A test that fails anyway catches nothing. On a busy machine one may do so once.
    const broken = new Set<string>()
    await inParallel([...new Set(chosen.flatMap(({ tests }) => tests))], async (test, scratch) => {
      const isGood = async () => await passes(scratch, test, servers.env)
      if (!(await isGood()) && !(await isGood())) broken.add(test)
    })
    await inParallel(chosen, async (mutant, scratch) => {
      const tests = mutant.tests.filter((test) => !broken.has(test))
      const caught = await findCatch(scratch, { ...mutant, tests }, servers.env)
      if (caught === undefined) escaped.push(mutant.name)
      const outcome = tests.length === 0 ? 'NO TEST' : caught === undefined ? 'ESCAPED' : 'caught '
      console.log(`${outcome}  ${mutant.name}  ${caught ?? mutant.tests.join(' ')}`)
    })
  } finally {
    await servers.stop()
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`${chosen.length - escaped.length} of ${chosen.length} caught in ${seconds} s`)
  return escaped.length === 0 ? 0 : 1
}

process.exitCode = await main()
