import t from 'tap'
import { entriesOf, type Manifest, toPublished } from './manifest.ts'

const own: Manifest & Record<string, unknown> = {
  name: '@svc/openfeature',
  version: '1.1.0',
  private: true,
  description: 'Providers',
  license: 'Apache-2.0',
  type: 'module',
  exports: {
    './server': { types: './dist/server.d.ts', default: './dist/server.js' },
  },
  files: ['dist'],
  scripts: { prepare: 'true' },
  dependencies: {
    '@svc/client': 'workspace:^',
    '@svc/evaluation': 'workspace:*',
    yaml: 'catalog:',
    plain: '~3.1.0',
  },
  peerDependencies: { '@openfeature/server-sdk': '^1.20.0' },
  devDependencies: { tap: 'catalog:' },
}
const versions = { catalog: { yaml: '2.9.1' }, workspace: { '@svc/client': '1.1.0' } }

t.test('what is published has versions, and nothing of the workspace', async (t) => {
  const published = toPublished(own, versions)
  t.strictSame(published.dependencies, { '@svc/client': '^1.1.0', yaml: '2.9.1', plain: '~3.1.0' })
  t.strictSame(published.peerDependencies, { '@openfeature/server-sdk': '^1.20.0' })
  for (const name of ['private', 'scripts', 'devDependencies', 'bin']) t.notOk(name in published)
  t.strictSame(published.exports, own.exports)
})

t.test('what the configuration for publishing says of exports holds there', async (t) => {
  const exports = { './package.json': './package.json' }
  const published = toPublished({ ...own, publishConfig: { access: 'public', exports } }, versions)
  t.strictSame(published.exports, exports)
  t.strictSame(published.publishConfig, { access: 'public' })
  t.strictSame(entriesOf(published), [])
})

t.test('a version that the workspace does not say is an error', async (t) => {
  for (const range of ['catalog:', 'workspace:^', 'link:../other']) {
    const manifest = { ...own, dependencies: { other: range } }
    t.throws(() => toPublished(manifest, versions), {
      message: `no version is known of other (${range})`,
    })
  }
})

t.test('every file that is offered is an entry, once', async (t) => {
  const types = './dist/index.d.ts'
  const entries = entriesOf({
    ...own,
    bin: { svc: './dist/main.js' },
    exports: {
      '.': {
        browser: { types: './dist/browser.d.ts', default: './dist/browser.js' },
        deno: { types, default: './dist/index.js' },
        default: { types, default: './dist/index.js' },
      },
      './api': './dist/api.js',
    },
  })
  t.strictSame(
    entries.map(({ file, kind, isForBrowsers }) => [file, kind, isForBrowsers]),
    [
      ['./dist/browser.d.ts', 'types', true],
      ['./dist/browser.js', 'script', true],
      ['./dist/index.d.ts', 'types', false],
      ['./dist/index.js', 'script', false],
      ['./dist/api.js', 'script', true],
      ['./dist/main.js', 'script', false],
    ],
  )
})

t.test('a target that cannot be bundled is an error', async (t) => {
  t.throws(() => entriesOf({ ...own, exports: { '.': './dist/data.json' } }), {
    message: './dist/data.json is neither a script (.js) nor types (.d.ts)',
  })
})
