// What `npm start`, `npm test` and `pnpm bench` run, on any machine with Node.js 20.19 and npm: installs and
// builds what is missing or stale, and hands over to the repository's own Node.js.
import { fileURLToPath } from 'node:url'
import { checkMachine, findNode } from './bootstrap.machine.mjs'
import { prepare } from './bootstrap.prepare.mjs'
import { runToTheEnd } from './bootstrap.processes.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))

const scripts = new Map([
  ['start', 'deploy/local/dist/start.js'],
  ['test', 'test/dist/support/run.js'],
  ['db', 'test/dist/support/db.js'],
  ['bench', 'test/bench/dist/main.js'],
])

try {
  const [command, ...args] = process.argv.slice(2)
  const script = scripts.get(command)
  if (script === undefined) throw new Error('Use: npm start, npm test, or npm run bench')
  checkMachine()
  // The launcher says how long all of it took, with what was installed and built before.
  if (command === 'start') process.env.LOCAL_STARTED_AT = String(performance.timeOrigin)
  await prepare(root)
  process.exitCode = await runToTheEnd(findNode(root), [`${root}${script}`, ...args])
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
