// What `npm start`, `npm test`, `pnpm test:chaos`, `pnpm bench`, `pnpm conformance`, `pnpm pack:packages` and
// `pnpm test:kubernetes` run, on any machine with Node.js 20.19 and npm: installs and builds what is missing or stale,
// and hands over to the repository's own Node.js.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepare } from './bootstrap.prepare.mjs'
import { run } from './bootstrap.run.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The oldest version that this file, npm and the installation work with. */
const oldestNode = '20.19'
/** The version that the services are written for. */
const servicesNode = 24

const scripts = new Map([
  ['start', 'deploy/local/dist/start.js'],
  ['test', 'test/dist/support/run.js'],
  ['chaos', 'test/dist/support/chaos.js'],
  ['db', 'test/dist/support/db.js'],
  ['bench', 'test/bench/dist/main.js'],
  ['conformance', 'test/dist/conformance/main.js'],
  ['pack', 'deploy/npm/dist/main.js'],
  ['kubernetes', 'test/dist/kubernetes/main.js'],
])

try {
  const [command, ...args] = process.argv.slice(2)
  const script = scripts.get(command)
  if (script === undefined) throw new Error('Use: npm start, npm test, or npm run bench')
  const { node } = process.versions
  if (node.localeCompare(oldestNode, 'en', { numeric: true }) < 0) {
    throw new Error(`svc needs Node.js ${oldestNode} or later; this is v${node}.`)
  }
  await prepare(root)
  // By the end of the IPC channel it learns that this process was killed.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
  process.exitCode = await run(findNode(), [join(root, script), ...args], { stdio })
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

/** The Node.js that was installed with the packages, else this one if it is new enough. */
function findNode() {
  const installed = join(root, 'node_modules/.bin/node')
  if (spawnSync(installed, ['--version'], { stdio: 'ignore' }).status === 0) return installed
  if (Number.parseInt(process.versions.node, 10) >= servicesNode) return process.execPath
  throw new Error(
    `On this system svc needs Node.js ${servicesNode} or later; this is ${process.version}.`,
  )
}
