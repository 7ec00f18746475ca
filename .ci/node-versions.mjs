// `npm run test:nodes`: the tests of the HTTP edge on each version of Node.js that `engines` allows. They
// have to be built, as `npm test` leaves them.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { check, finish } from './tally.mjs'

const versions = ['20.20.2', '22.23.3', '24.21.0']

/** What the limits of Node.js itself decide about. */
const folders = ['services/gateway/dist/http', 'services/gateway/dist/identity']

/** For a package of 50 MB, and for a test file. */
const limitMs = 180_000

const root = fileURLToPath(new URL('..', import.meta.url))
const files = folders.flatMap((folder) =>
  readdirSync(`${root}${folder}`)
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => `${folder}/${name}`),
)

for (const version of versions) {
  const node = await install(version)
  for (const file of files) {
    await check(`Node.js ${version}: ${file}`, () => run(node, ['--enable-source-maps', file]))
  }
}
finish()

/** @returns the program, which an npm package carries */
async function install(version) {
  const name = `node-${process.platform}-${process.arch}`
  const folder = `${root}.tap/node-${version}`
  const node = `${folder}/node_modules/${name}/bin/node`
  if (!existsSync(node)) {
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
    await run('npm', ['install', '--prefix', folder, ...quiet, `${name}@${version}`])
  }
  return node
}

async function run(command, args) {
  const options = { cwd: root, timeout: limitMs, maxBuffer: 2 ** 26 }
  await promisify(execFile)(command, args, options).catch(({ message, stdout }) => {
    throw new Error(
      `${message}\n${stdout.match(/^ *not ok.*$/gm)?.join('\n') ?? stdout.slice(-2000)}`,
    )
  })
}
