import { writeFileSync } from 'node:fs'
import t from 'tap'
import type { Environment } from './files.ts'
import { loadSettings } from './load.ts'
import { problemsOf } from './problems.test.support.ts'
import { sharedSettings } from './schema.ts'

const methods = 'authentication.methods'
const variables = 'SVC_AUTHENTICATION_METHODS'

function loadEnv(env: Environment) {
  return loadSettings(sharedSettings, { env, systemFiles: [] }).settings
}

function loadText(directory: string, text: string) {
  const path = `${directory}/config.yml`
  writeFileSync(path, text)
  return loadSettings(sharedSettings, { file: path, env: {} }).settings
}

t.test('of each auth method the shared schema knows whether it is enabled', async (t) => {
  t.strictSame(loadEnv({}).authentication.methods, {
    token: { enabled: true },
    oidc: { enabled: false },
    orchestrator: { enabled: false },
    codehost: { enabled: false },
    jwt: { enabled: false },
  })
  const on = loadEnv({ [`${variables}_JWT_ENABLED`]: 'true' })
  t.equal(on.authentication.methods.jwt.enabled, true)
  t.strictSame(
    problemsOf(() => loadEnv({ [`${variables}_JWT_ENABLED`]: 'yes' })),
    [
      `${variables}_JWT_ENABLED  ${methods}.jwt.enabled must be true or false.` +
        ` Correct or unset ${variables}_JWT_ENABLED.`,
    ],
  )
})

t.test('it leaves the rest of a method unread, in the file and in variables', async (t) => {
  const file = `
bootstrap: {token: [], whatever: 1}
token.cleanup.interval: soon
authentication:
  methods:
    token: {enabled: false, bootstrap: {expiration: never}}
    oidc: {enabled: true, providers: {corp: {issuer_url: login}}, such: {thing: 1}}`
  const { token, oidc } = loadText(t.testdir(), file).authentication.methods
  t.strictSame([token, oidc], [{ enabled: false }, { enabled: true }])
  const env = {
    SVC_BOOTSTRAP_TOKEN_FILE: '/nowhere',
    SVC_BOOTSTRAP_METADATA_OWNER: 'x',
    SVC_TOKEN_CLEANUP_INTERVAL: 'soon',
    [`${variables}_OIDC_PROVIDERS_CORP_CLIENT_SECRET_FILE`]: '/nowhere',
    [`${variables}_CODEHOST_NO_SUCH_THING`]: 'x',
  }
  t.strictSame(loadEnv(env), loadEnv({}))
})

t.test('a method that there is not is refused, with the one that was meant', async (t) => {
  const directory = t.testdir()
  const inFile = (text: string) => problemsOf(() => loadText(directory, text), directory)
  const inEnv = (name: string) => problemsOf(() => loadEnv({ [name]: 'x' }))
  t.strictSame(inFile(`${methods}.saml.enabled: true`), [
    `config.yml:1:1  ${methods}.saml.enabled is not a setting.`,
  ])
  t.strictSame(inFile(`${methods}:\n  github: {client_id: x}`), [
    `config.yml:2:3  ${methods}.github is not a setting. Did you mean "${methods}.codehost"?`,
  ])
  t.strictSame(inFile(`${methods}: {toke: {enabled: true}}`), [
    `config.yml:1:26  ${methods}.toke is not a setting. Did you mean "${methods}.token"?`,
  ])
  t.strictSame(inFile('token:\n  cleanups: 1'), [
    'config.yml:2:3  token.cleanups is not a setting.',
  ])
  t.strictSame(inEnv(`${variables}_SAML_ENABLED`), [
    `${variables}_SAML_ENABLED  is not a setting. Unset it.`,
  ])
  t.strictSame(inEnv(`${variables}_GITHUB_CLIENT_ID`), [
    `${variables}_GITHUB_CLIENT_ID  is not a setting.` +
      ` Did you mean "${variables}_CODEHOST_CLIENT_ID"?`,
  ])
})
