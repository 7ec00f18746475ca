import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { createFlag } from '../support/api.ts'
import { startProgram } from '../support/examples.ts'
import { emptyFolder, packForTests } from '../support/packages.ts'
import { startStack } from '../support/stack.ts'

/** This file is test/dist/nightly/runtimes.test.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

const { platform, arch } = process
const bunArch = arch === 'arm64' ? 'aarch64' : arch
const denoLibc = platform === 'linux' ? '-glibc' : ''

/** What the client promises to run in, as npm packages that carry the program. */
const runtimes = [
  { library: `node-${platform}-${arch}`, version: '20.20.2', program: 'bin/node', args: [] },
  { library: `node-${platform}-${arch}`, version: '22.23.3', program: 'bin/node', args: [] },
  { library: `node-${platform}-${arch}`, version: '24.21.0', program: 'bin/node', args: [] },
  { library: `@oven/bun-${platform}-${bunArch}`, version: '1.4.5', program: 'bin/bun', args: [] },
  {
    library: `@deno/${platform}-${arch}${denoLibc}`,
    version: '2.9.6',
    program: 'deno',
    args: ['run', '--allow-all', '--no-lock', '--node-modules-dir=manual'],
  },
] as const

/** Limit of an installation, in milliseconds: each is 100 MB at most. */
const installTimeoutMs = 180_000

/** @returns the program, which is installed first if need be; nothing where the registry does not have it */
async function ensureRuntime({ library, version, program }: (typeof runtimes)[number]) {
  const folder = join(root, 'node_modules/.cache/runtimes', `${library}-${version}`)
  const file = join(folder, 'node_modules', library, program)
  if (!existsSync(file)) {
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
    const args = ['install', '--prefix', folder, ...quiet, `${library}@${version}`]
    await promisify(execFile)('npm', args, { timeout: installTimeoutMs }).catch(() => {})
  }
  return existsSync(file) ? file : undefined
}

t.test('the packed client', async (t) => {
  const packages = await packForTests(t)
  const { urls, token, api } = await startStack(t)
  const flag = await createFlag(api, 'checkout')

  for (const runtime of runtimes) {
    const program = await ensureRuntime(runtime)
    const skip = program === undefined && 'the registry does not have it'
    await t.test(`in ${runtime.library} ${runtime.version}`, { skip }, async (t) => {
      const set = (enabled: boolean) =>
        api('PUT', '/api/v1/flags/checkout', { ...flag, enabled }).then(({ status }) => status)
      t.equal(await set(true), 200)
      const folder = await emptyFolder(t)
      await packages.install(folder, '@svc/client')
      await copyFile(join(root, 'test/fixtures/runtimes/program.mjs'), join(folder, 'main.mjs'))
      const env = { SVC_URL: urls[0], SVC_TOKEN: token }
      const run = startProgram(t, [program ?? '', ...runtime.args, 'main.mjs'], folder, env)
      await run.says(/^ready$/m)
      t.equal(await set(false), 200)
      run.send('go on\n')
      const on = [true, 'DEFAULT', true]
      const off = [false, 'DEFAULT', true]
      t.strictSame(JSON.parse(await run.says(/^(\{.*\})$/m)), {
        before: [on, on],
        explained: true,
        after: [off, off],
        api: ['checkout', true, 404],
        kept: [...off, true],
      })
      t.notMatch(run.errors(), /Error/)
    })
  }
})
