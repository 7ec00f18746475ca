import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findProblems } from '@svc/npm/check'
import type { Manifest } from '@svc/npm/manifest'
import t from 'tap'
import { emptyFolder, packForTests } from '../support/packages.ts'

/** This file is test/dist/e2e/packages.slow.test.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const run = promisify(execFile)

/** The one that the machine has, which is the oldest that is promised where CI runs, and the repository's own. */
const nodes = ['node', process.execPath]

t.test('the packages that are published', async (t) => {
  const packages = await packForTests(t)

  for (const { name, version, tarball } of packages.packed) {
    await t.test(name, async (t) => {
      const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json'])
      const manifest = JSON.parse(stdout) as Manifest

      await t.test('has nothing that publint or arethetypeswrong hold against it', async (t) => {
        t.strictSame(await findProblems(tarball), [])
      })

      await t.test('says what npm asks for, and nothing of the workspace', async (t) => {
        t.match(manifest, {
          name,
          version: /^\d+\.\d+\.\d+$/,
          license: 'Apache-2.0',
          engines: { node: '>=20.19' },
          publishConfig: { access: 'public', provenance: true },
        })
        t.notMatch(stdout, /workspace:|catalog:|devDependencies|"private"/)
      })

      await t.test('has its licence, its README and one file an entry', async (t) => {
        const { stdout } = await run('tar', ['-tzf', tarball])
        const files = stdout
          .trim()
          .split('\n')
          .map((file) => file.replace('package/', ''))
        const targets = JSON.stringify([manifest.exports ?? {}, manifest.bin ?? {}])
        const entries = [...targets.matchAll(/"\.\/([^"]+\.(?:js|d\.ts))"/g)].map(
          ([, file]) => file,
        )
        t.strictSame(
          files.toSorted(),
          [...new Set(['LICENSE', 'README.md', 'package.json', ...entries])].toSorted(),
        )
      })

      await t.test('runs with what it says that it needs', async (t) => {
        const folder = await emptyFolder(t)
        await packages.install(folder, name)
        const source = modulesOf(manifest).map((module) => `await import('${module}')\n`)
        await writeFile(join(folder, 'main.mjs'), source.join(''))
        const options = { cwd: folder }
        for (const node of nodes) {
          await run(node, ['main.mjs'], options)
          for (const bin of Object.keys(manifest.bin ?? {})) {
            const program = join('node_modules', '.bin', bin)
            t.match((await run(node, [program, '--version'], options)).stdout, version)
          }
        }
      })

      await t.test('has types that compile by themselves', async (t) => {
        const folder = await emptyFolder(t)
        // Ours need none; an SDK that they are for may.
        const ofNode = manifest.peerDependencies === undefined ? [] : ['@types/node']
        await packages.install(folder, name, ...ofNode)
        const source = modulesOf(manifest).map(
          (module, i) => `export * as e${i} from '${module}'\n`,
        )
        await writeFile(join(folder, 'main.mts'), ['export {}\n', ...source].join(''))
        const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit']
        const types = ['--types', ofNode.length === 0 ? '' : 'node']
        const modules = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom']
        const tsc = join(root, 'node_modules/.bin/tsc')
        const { stdout } = await run(tsc, [...strict, ...types, ...modules, 'main.mts'], {
          cwd: folder,
        })
        t.equal(stdout, '')
      })
    })
  }

  await t.test('throw errors that each entry of the client takes for its own', async (t) => {
    const folder = await emptyFolder(t)
    await packages.install(folder, '@svc/client')
    const source = `
      import { connect, SvcError } from '@svc/client'
      import { createApi, SvcError as ApiError } from '@svc/client/api'
      const { flags } = createApi({ url: 'http://127.0.0.1:1' })
      const errors = [await connect({}).catch((e) => e), await flags.list({ namespaceKey: 'default' }).catch((e) => e), new Error()]
      for (const error of errors) console.log(error instanceof SvcError, error instanceof ApiError)
    `
    await writeFile(join(folder, 'main.mjs'), source)
    const { stdout } = await run('node', ['main.mjs'], { cwd: folder })
    t.equal(stdout, 'true true\ntrue true\nfalse false\n')
  })

  await t.test('are the same bytes when they are packed again', async (t) => {
    const again = await packForTests(t)
    for (const [i, { tarball }] of packages.packed.entries()) {
      const other = again.packed[i]?.tarball ?? ''
      t.ok((await readFile(tarball)).equals(await readFile(other)))
    }
  })
})

/** What applications import: `@svc/client/api`. */
function modulesOf({ name, exports = {} }: Manifest): string[] {
  return Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => join(name, path))
}
