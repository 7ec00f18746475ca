import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadContract } from '@svc/contract'
import t from 'tap'
import { readFixture } from '../support/fixtures.ts'

/** This file is test/dist/contract/architecture.test.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

const { mayImport, browsers, notInBrowsers, knownTo, floors } = readFixture<{
  readonly mayImport: Readonly<Record<string, readonly (string | readonly string[])[]>>
  readonly browsers: readonly string[]
  readonly notInBrowsers: readonly string[]
  readonly knownTo: Readonly<Record<string, string>>
  readonly floors: Readonly<Record<string, readonly string[]>>
}>('architecture')

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}

const sources = globSync('{packages,services}/*/src/**/*.ts', { cwd: root })
  .filter((file) => !/\.test(\.support)?\.ts$|\/testing|\/gen\//.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

const comment = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

/** Every relative import, from a file to a file. */
const arrows = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/ from '(\.[^']+)'/g)].map(
    ([, to = '']) => [file, join(dirname(file), to)] as const,
  ),
)

for (const manifest of globSync('{proto,packages/*,services/*}/package.json', { cwd: root })) {
  const directory = dirname(manifest)
  t.test(`${directory} imports only what it may`, async (t) => {
    const allowed = mayImport[directory]?.flat().map((name) => `@svc/${name}`)
    t.ok(allowed, 'the fixture knows it')
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as Manifest
    const ours = Object.keys(dependencies).filter((name) => name.startsWith('@svc/'))
    t.strictSame(
      ours.filter((name) => !allowed?.includes(name)),
      [],
    )
  })
}

const isForNode = (file: string) => notInBrowsers.some((place) => new RegExp(place).test(file))

for (const directory of browsers) {
  t.test(`${directory} runs in browsers`, async (t) => {
    const own = sources.filter(
      ({ file }) => file.startsWith(`${directory}/src/`) && !isForNode(file),
    )
    const ofNode = /'node:|\b(Buffer|process|setImmediate|require)[.(]/
    t.ok(own.length > 0)
    t.strictSame(
      own.filter(({ text }) => ofNode.test(text.replace(comment, ''))).map(({ file }) => file),
      [],
    )
    const others = arrows.filter(
      ([from, to]) => from.startsWith(`${directory}/src/`) && !isForNode(from) && isForNode(to),
    )
    t.strictSame(others, [], 'nor does it import what is')
  })
}

t.test('there are sources to look at', async (t) => {
  t.ok(sources.length > 100, `${sources.length} of them`)
})

for (const [library, place] of Object.entries(knownTo)) {
  t.test(`${library} is imported in its place only`, async (t) => {
    const imports = new RegExp(`(from |import\\()'${library.replace('/', '\\/')}(/[^']*)?'`)
    const importers = sources.filter(({ text }) => imports.test(text)).map(({ file }) => file)
    t.strictSame(
      importers.filter((file) => !new RegExp(place).test(file)),
      [],
    )
    t.ok(importers.length > 0, 'it is imported')
  })
}

t.test('the gateway names no service and no method in a string', async (t) => {
  const { operations } = loadContract()
  const names = new Set(operations.flatMap(({ service, name, path }) => [service, name, path]))
  // The parts of a URL that say which operation it is.
  const routes = new Set(
    operations.flatMap(({ bindings }) => bindings.map(({ template }) => template.text)),
  )
  const prefixes = [...routes].map((route) => `/${route.split('/')[1]}/`)
  const found = sources
    .filter(({ file }) => file.startsWith('services/gateway/src/'))
    .flatMap(({ file, text }) =>
      [...text.replace(comment, '').matchAll(/'([^'\n]*)'|`([^`]*)`/g)]
        .map(([, single, template]) => single ?? template ?? '')
        .filter(
          (string) =>
            names.has(string) || /\bsvc\.\w+\.v\d/.test(string) || prefixes.includes(string),
        )
        .map((string) => `${file}: ${string}`),
    )
  t.strictSame(found, [])
})

t.test('no file is over 400 lines', async (t) => {
  const long = sources.filter(({ text }) => text.split('\n').length > 400).map(({ file }) => file)
  t.strictSame(long, [])
})

for (const [root, folders] of Object.entries(floors)) {
  t.test(`no arrow of ${root} runs back`, async (t) => {
    const floorOf = (file: string) =>
      folders.indexOf(file.slice(root.length + 1).split('/')[0] ?? '')
    const back = arrows.filter(
      ([from, to]) => floorOf(from) !== -1 && floorOf(to) > floorOf(from) && to.startsWith(root),
    )
    t.strictSame(back, [])
    t.ok(arrows.some(([from, to]) => floorOf(from) > floorOf(to) && floorOf(to) !== -1))
  })
}

t.test('an authentication method imports no other, but what browsers share', async (t) => {
  const methodOf = (file: string) => /^services\/auth\/src\/methods\/([^/]+)\//.exec(file)?.[1]
  const wrong = arrows.filter(([from, to]) => {
    const [one, other] = [methodOf(from), methodOf(to)]
    return one !== undefined && other !== undefined && one !== other && other !== 'login'
  })
  t.strictSame(wrong, [])
})

for (const service of ['auth', 'gateway', 'resource']) {
  t.test(`no file of the ${service} service imports itself over others`, async (t) => {
    const next = Map.groupBy(arrows, ([from]) => from)
    const reached = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
      for (const [, to] of next.get(file) ?? []) {
        if (!seen.has(to)) reached(to, seen.add(to))
      }
      return seen
    }
    const files = [...next.keys()].filter((file) => file.startsWith(`services/${service}/`))
    t.strictSame(
      files.filter((file) => reached(file).has(file)),
      [],
    )
  })
}

t.test('tokens end in one place only, from which every replica is notified', async (t) => {
  const ending = /DELETE FROM auth\.authentications|SET[^;`]*\b(expires_at|token_hash) =/
  const places = sources.filter(({ text }) => ending.test(text)).map(({ file }) => file)
  t.strictSame(places, ['services/auth/src/credentials/revocations/revoked-tokens.store.ts'])
  const users = sources.filter(({ text }) => text.includes('/revoked-tokens.store.ts'))
  for (const { file, text } of users) {
    const changes = /\b(deleteToken|deleteSessions|shortenToken|replaceSecret)\(tx/g
    for (const [change] of text.matchAll(changes)) {
      t.match(
        text,
        new RegExp(`revoke\\([^;]*\\(tx\\) =>\\s*${change.replace('(', '\\(')}`),
        `${file}: ${change}`,
      )
    }
  }
})
