import { writeFileSync } from 'node:fs'
import { authSettings } from '@svc/auth/settings'
import t from 'tap'
import { loadEnv, problemsOf } from '../support/settings.ts'

t.test('no two settings share a variable, and none is taken for a foreign one', async (t) => {
  const names = authSettings.index.settings.flatMap(({ variable }) => variable ?? [])
  t.equal(new Set(names).size, names.length)
  const env = Object.fromEntries(names.map((name) => [name, '']))
  t.strictSame(
    problemsOf(() => loadEnv(env)),
    [],
  )
})

t.test('a secret can be read from a file, less one line break at its end', async (t) => {
  const directory = t.testdir()
  const path = `${directory}/secret`
  const read = () => loadEnv({ SVC_BOOTSTRAP_TOKEN_FILE: path }).authentication.methods.token
  for (const end of ['', '\n', '\r\n']) {
    writeFileSync(path, `first-token-of-all${end}`)
    t.equal(read().bootstrap.token?.reveal(), 'first-token-of-all')
  }
  const ofProvider = 'SVC_AUTHENTICATION_METHODS_OIDC_PROVIDERS_CORP_CLIENT_SECRET_FILE'
  const { providers } = loadEnv({ [ofProvider]: path }).authentication.methods.oidc
  t.equal(providers.corp?.clientSecret?.reveal(), 'first-token-of-all')
  writeFileSync(path, 'first-token-of-all\n\n')
  t.match(problemsOf(read)[0], /bootstrap.token must be visible ASCII/)
})

t.test('a secret file that cannot be used is refused without its value', async (t) => {
  const directory = t.testdir({ empty: '', large: 'x'.repeat(65 * 1024), binary: '' })
  writeFileSync(`${directory}/binary`, Buffer.from([0xff, 0xfe, 0x00]))
  const table: Record<string, string> = {
    'canary-that-was-meant-for-the-other-variable': 'from a file that does not exist',
    [`${directory}/empty/canary`]: 'from a file that does not exist',
    [directory]: 'from a file that is a directory',
    [`${directory}/large`]: 'from a file that is too large',
    '/dev/zero': 'from a file that is too large',
    [`${directory}/binary`]: 'from a file that is not text in UTF-8',
  }
  for (const [path, wrong] of Object.entries(table)) {
    t.strictSame(
      problemsOf(() => loadEnv({ SVC_DB_URL_FILE: path })),
      [`SVC_DB_URL_FILE  db.url is to be read ${wrong}. Correct or unset SVC_DB_URL_FILE.`],
    )
  }
  t.match(problemsOf(() => loadEnv({ SVC_DB_URL_FILE: `${directory}/empty` }))[0], /must be a URL/)
})
