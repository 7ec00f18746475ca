import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findProblems } from './check.ts'

const manifest = {
  name: 'sample',
  version: '1.0.0',
  license: 'Apache-2.0',
  type: 'module',
  files: ['dist'],
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
}

/** Packs a package with a manifest and files of a test. */
function pack(t: Test, manifest: object, dist: Readonly<Record<string, string>>): string {
  const folder = t.testdir({ 'package.json': JSON.stringify(manifest), dist })
  const args = ['pack', folder, '--pack-destination', folder, '--silent']
  return join(folder, execFileSync('npm', args, { encoding: 'utf8' }).trim())
}

const script = 'export const one = 1\n'
const types = 'export declare const one: number\n'

t.test('a tarball that applications can use has no problems', async (t) => {
  const tarball = pack(t, manifest, { 'index.js': script, 'index.d.ts': types })
  t.strictSame(await findProblems(tarball), [])
})

t.test('a file that is missing is one, of a script as of types', async (t) => {
  const withoutScript = await findProblems(pack(t, manifest, { 'index.d.ts': types }))
  t.match(withoutScript, [/^publint: .*\.\/dist\/index\.js.*does not exist/])
  const withoutTypes = await findProblems(pack(t, manifest, { 'index.js': script }))
  t.match(withoutTypes, [/^publint: .*\.\/dist\/index\.d\.ts.*does not exist/])
})

t.test('types that lead elsewhere than the script are one', async (t) => {
  const tarball = pack(
    t,
    { ...manifest, exports: { '.': { default: './dist/index.js', types: './dist/index.d.ts' } } },
    { 'index.js': script, 'index.d.ts': "export * from './gone.js'\n" },
  )
  const problems = (await findProblems(tarball)).join('\n')
  t.match(problems, /publint: .*types.*should be the first/)
  t.match(problems, /arethetypeswrong: [\s\S]*nternal resolution error/)
})
