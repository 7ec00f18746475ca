import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

/** This file is test/dist/contract/architecture.test.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** What every service stands on. */
const shared = ['access', 'config', 'contract', 'process', 'proto', 'rpc', 'runtime']

/** Which of our packages each one may import: a change here is a change of the architecture. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  proto: [],
  'packages/evaluation': [],
  'packages/runtime': [],
  'packages/contract': ['proto', 'runtime'],
  'packages/access': ['runtime'],
  'packages/config': ['access', 'proto', 'runtime'],
  'packages/process': ['config', 'runtime'],
  'packages/rpc': ['runtime'],
  'packages/database': ['runtime'],
  'services/auth': [...shared, 'database'],
  'services/resource': [...shared, 'database', 'evaluation'],
  'services/gateway': [...shared, 'evaluation'],
}

/** Libraries that one place alone knows, so that replacing one changes one place. */
const knownTo: Readonly<Record<string, RegExp>> = {
  '@grpc/grpc-js': /^packages\/rpc\/src\//,
  '@grpc/proto-loader': /^packages\/rpc\/src\//,
  '@kubernetes/client-node': /^services\/auth\/src\/methods\/orchestrator\/token-reviews\.ts$/,
  fastify: /^services\/gateway\/src\//,
  ioredis: /^services\/auth\/src\/credentials\/cache\/redis-cache\.ts$/,
  jose: /^services\/auth\/src\/methods\/(jwt|oidc)\//,
  'openid-client': /^services\/auth\/src\/methods\/(codehost|oidc)\//,
  pg: /^packages\/database\/src\//,
  'node-pg-migrate': /^packages\/database\/src\//,
  pino: /^packages\/runtime\/src\/logging\.ts$/,
  yaml: /^packages\/config\/src\//,
  zod: /^packages\/config\/src\//,
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}

const sources = globSync('{packages,services}/*/src/**/*.ts', { cwd: root })
  .filter((file) => !/\.test(\.support)?\.ts$|\/testing/.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

for (const manifest of globSync('{proto,packages/*,services/*}/package.json', { cwd: root })) {
  const directory = dirname(manifest)
  t.test(`${directory} imports only what it may`, async (t) => {
    const allowed = mayImport[directory]?.map((name) => `@svc/${name}`)
    t.ok(allowed, 'the table above knows it')
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as Manifest
    const ours = Object.keys(dependencies).filter((name) => name.startsWith('@svc/'))
    t.strictSame(
      ours.filter((name) => !allowed?.includes(name)),
      [],
    )
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
      importers.filter((file) => !place.test(file)),
      [],
    )
    t.ok(importers.length > 0, 'somebody imports it')
  })
}

t.test('no file is over 400 lines', async (t) => {
  const long = sources.filter(({ text }) => text.split('\n').length > 400).map(({ file }) => file)
  t.strictSame(long, [])
})

t.test('tokens end in one place only, from which everybody hears of it', async (t) => {
  const ending = /DELETE FROM auth\.authentications|SET[^;`]*\b(expires_at|token_hash) =/
  const places = sources.filter(({ text }) => ending.test(text)).map(({ file }) => file)
  t.strictSame(places, ['services/auth/src/credentials/revocations/ended-tokens.store.ts'])
  const users = sources.filter(({ text }) => text.includes('/ended-tokens.store.ts'))
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
