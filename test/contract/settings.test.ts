import { readFileSync } from 'node:fs'
import { authSettings } from '@svc/auth/settings'
import { loadSettings, requireSetting } from '@svc/config'
import { Secret } from '@svc/runtime'
import t from 'tap'
import { parse } from 'yaml'
import { loadEnv, loadText, problemsOf } from '../support/settings.ts'

/** Sources of the same settings, and what some of these are, by path. */
interface Accepted {
  readonly sources: readonly {
    readonly file?: string
    readonly env?: Readonly<Record<string, string>>
  }[]
  readonly settings: Readonly<Record<string, unknown>>
}

const cases = new URL('../../fixtures/settings/accepted.cases.yml', import.meta.url)
const groups: Readonly<Record<string, readonly Accepted[]>> = parse(readFileSync(cases, 'utf8'))

/** @returns the value, a secret as its text and a missing one as `null` */
function valueAt(settings: unknown, path: string): unknown {
  const value = path
    .split('.')
    .reduce<unknown>(
      (parent, name) => Object.getOwnPropertyDescriptor(parent, name)?.value,
      settings,
    )
  return value instanceof Secret ? value.reveal() : (value ?? null)
}

for (const [group, cases] of Object.entries(groups)) {
  t.test(group, async (t) => {
    const directory = t.testdir()
    for (const { sources, settings } of cases) {
      for (const { file, env = {} } of sources) {
        const loaded = file === undefined ? loadEnv(env) : loadText(directory, file, env)
        for (const [path, value] of Object.entries(settings)) {
          t.strictSame(valueAt(loaded, path), value, `${path} of ${file ?? JSON.stringify(env)}`)
        }
      }
    }
  })
}

t.test('without any source the defaults hold', async (t) => {
  const { settings, source } = loadSettings(authSettings, { env: {}, systemFiles: [] })
  t.equal(source, undefined)
  const { methods, required } = settings.authentication
  t.equal(required, true)
  t.equal(settings.internal.insecure, false)
  t.strictSame(methods.token, {
    enabled: true,
    cleanup: { interval: 3_600_000, gracePeriod: 1_800_000 },
    bootstrap: { metadata: {}, force: false, log: true },
  })
  const { token: _, ...others } = methods
  for (const [name, { enabled }] of Object.entries(others)) t.equal(enabled, false, name)
})

t.test('a setting that a service needs is asked for by name', async (t) => {
  const { db } = loadEnv({ DATABASE_URL: 'postgres://db/svc' })
  t.equal(requireSetting(db.url, 'db.url').reveal(), 'postgres://db/svc')
  t.strictSame(
    problemsOf(() => requireSetting(loadEnv({}).db.url, 'db.url')),
    [
      'db.url is missing. Set it in the configuration file or in SVC_DB_URL, or name a file that' +
        ' holds it in SVC_DB_URL_FILE.',
    ],
  )
  t.throws(() => requireSetting(undefined, 'no.such'), TypeError)
})

t.test('settings can be printed without their secrets', async (t) => {
  const settings = loadEnv({
    SVC_DB_URL: 'postgres://svc:canary@db/svc',
    SVC_CACHE_REDIS_URL: 'redis://:canary@cache',
    SVC_BOOTSTRAP_TOKEN: 'canary-canary-canary',
  })
  t.notMatch(JSON.stringify(settings), 'canary')
  t.equal(JSON.stringify(settings.db.url), '"[secret]"')
})
