// `npm run test:nodes`: the tests of the HTTP edge on each version of Node.js that `engines` allows. They
// have to be built, as `npm test` leaves them.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { check, finish } from './tally.mjs'

const root = join(import.meta.dirname, '..')
/** What the limits of Node.js itself decide about. */
const files = ['services/gateway/dist/http', 'services/gateway/dist/identity'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(folder, name)),
)

for (const version of ['20.20.2', '22.23.3', '24.21.0']) {
  // An npm package carries the program.
  const name = `node-${process.platform}-${process.arch}`
  const folder = `${root}/.tap/node-${version}`
  const node = `${folder}/node_modules/${name}/bin/node`
  if (!existsSync(node)) {
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
    await run('npm', ['install', '--prefix', folder, ...quiet, `${name}@${version}`])
  }
  for (const file of files) {
    await check(`Node.js ${version}: ${file}`, () => run(node, ['--enable-source-maps', file]))
  }
}
finish()

async function run(command, args) {
  // For a package of 50 MB, and for a test file.
  const options = { cwd: root, timeout: 180_000, maxBuffer: 2 ** 26 }
  await promisify(execFile)(command, args, options).catch(({ message, stdout }) => {
    const failures = stdout.match(/^ *not ok.*$/gm)?.join('\n') ?? stdout.slice(-2000)
    throw new Error(`${message}\n${failures}`)
  })
}
