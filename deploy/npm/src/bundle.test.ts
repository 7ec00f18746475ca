import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { bundle } from './bundle.ts'

const script = { file: './dist/index.js', kind: 'script', isForBrowsers: true } as const
const types = { file: './dist/index.d.ts', kind: 'types', isForBrowsers: true } as const

t.test('an entry becomes one file, with what is imported in it', async (t) => {
  const from = t.testdir({
    dist: {
      'index.js': "import { two } from './two.js'\nimport 'beside'\nexport const four = two * 2\n",
      'two.js': 'export const two = 2\n',
      'index.d.ts':
        "import type { Two } from './two.js'\nexport type { Beside } from 'beside'\nexport declare const four: Two\n",
      'two.d.ts': '/** A pair. */\nexport type Two = 2\nexport type Unused = 3\n',
    },
  })
  const to = join(from, 'to')
  for (const entry of [script, types]) {
    const imported = await bundle(entry, { from, to, external: ['beside', 'other'] })
    t.strictSame(imported, ['beside'])
  }
  const [code, declarations] = await Promise.all(
    [script, types].map(({ file }) => readFile(join(to, file), 'utf8')),
  )
  t.match(code, /two = 2/)
  t.match(code, /import "beside"/)
  t.match(declarations, /\/\*\* A pair. \*\/\ntype Two = 2/)
  t.match(declarations, /from ['"]beside['"]/)
  t.notMatch(declarations, /Unused|two\.js/)
})

t.test('what is missing, and Node.js in browsers, is an error', async (t) => {
  const from = t.testdir({
    dist: {
      'index.js': "import { readFileSync } from 'node:fs'\nexport { readFileSync }\n",
      'index.d.ts': "export type { Gone } from './gone.js'\n",
    },
  })
  const options = { from, to: join(from, 'to'), external: [] }
  await t.rejects(bundle(script, options), /node:fs/)
  await bundle({ ...script, isForBrowsers: false }, options)
  await t.rejects(bundle(types, options), /gone\.js/)
})

t.test('a library that is not among the dependencies is an error, and no copy', async (t) => {
  const from = t.testdir({
    dist: {
      'index.js': "export { one } from 'library'\n",
      'index.d.ts': "export { one } from 'library'\n",
    },
    node_modules: {
      library: {
        'package.json': JSON.stringify({ name: 'library', type: 'module', exports: './index.js' }),
        'index.js': 'export const one = 1\n',
        'index.d.ts': 'export declare const one: number\n',
      },
    },
  })
  const to = join(from, 'to')
  for (const entry of [script, types]) {
    const message = `${entry.file} needs library, which is not among the dependencies of its package`
    await t.rejects(bundle(entry, { from, to, external: [] }), { message })
    await bundle(entry, { from, to, external: ['library'] })
  }
})
