import { writeFileSync } from 'node:fs'
import t from 'tap'
import { loadEnv, loadText, problemsOf } from './loading.test.support.ts'

const providers = 'SVC_AUTHENTICATION_METHODS_OIDC_PROVIDERS'

const file = `
authentication:
  methods:
    oidc:
      providers:
        corp:
          issuer_url: https://login.corp.example
          scopes: [groups]
          authorize_parameters: {prompt: login}
        Partner-1:
          issuer_url: https://id.partner.example
`

t.test('each section has what was said in it, and the defaults', async (t) => {
  const { providers } = loadText(t.testdir(), file).authentication.methods.oidc
  t.strictSame(Object.keys(providers), ['corp', 'partner-1'])
  t.match(providers.corp, {
    issuerUrl: 'https://login.corp.example',
    scopes: ['groups'],
    authorizeParameters: { prompt: 'login' },
    clientAuthentication: 'basic',
  })
  t.match(providers['partner-1'], { scopes: ['email', 'profile'], authorizeParameters: {} })
})

t.test('variables have the name in the middle, and add to the file', async (t) => {
  const directory = t.testdir()
  writeFileSync(`${directory}/secret`, 'a client secret'.replaceAll(' ', '-'))
  const { providers: loaded } = loadText(directory, file, {
    [`${providers}_CORP_CLIENT_ID`]: 'flags',
    [`${providers}_CORP_CLIENT_SECRET_FILE`]: `${directory}/secret`,
    [`${providers}_CORP_AUTHORIZE_PARAMETERS_HD`]: 'corp.example',
    [`${providers}_MY_OWN_ISSUER_URL`]: 'https://own.example',
  }).authentication.methods.oidc
  t.equal(loaded.corp?.clientId, 'flags')
  t.equal(loaded.corp?.clientSecret?.reveal(), 'a-client-secret')
  t.strictSame(loaded.corp?.authorizeParameters, { hd: 'corp.example' })
  t.equal(loaded.my_own?.issuerUrl, 'https://own.example')
})

t.test('teams are lists by organization', async (t) => {
  const codehost = 'authentication.methods.codehost'
  const fromFile = loadText(t.testdir(), `${codehost}:\n  allowed_teams:\n    acme: [core, ops]\n`)
  const fromEnv = loadEnv({
    SVC_AUTHENTICATION_METHODS_CODEHOST_ALLOWED_TEAMS_ACME: 'core ops',
  })
  for (const { authentication } of [fromFile, fromEnv]) {
    t.strictSame(authentication.methods.codehost.allowedTeams, { acme: ['core', 'ops'] })
  }
})

t.test('what is wrong in a section is said with its name', async (t) => {
  const directory = t.testdir()
  const oidc = 'authentication.methods.oidc.providers'
  const problems = (text: string, env = {}) =>
    problemsOf(() => loadText(directory, text, env), directory)
  t.strictSame(problems(`${oidc}.corp:\n  isuer_url: https://a.example\n`), [
    `config.yml:2:3  ${oidc}.corp.isuer_url is not a setting. ` +
      `Did you mean "${oidc}.corp.issuer_url"?`,
  ])
  t.strictSame(problems(`${oidc}.corp:\n  issuer_url: login\n`), [
    `config.yml:2:3  ${oidc}.corp.issuer_url must be a URL such as https://host or ` +
      `https://host/path. Correct it here or set ${providers}_CORP_ISSUER_URL.`,
  ])
  t.strictSame(problems('', { [`${providers}_CORP_ISSUER_URL`]: 'login' }), [
    `${providers}_CORP_ISSUER_URL  ${oidc}.corp.issuer_url must be a URL such as ` +
      `https://host or https://host/path. Correct or unset ${providers}_CORP_ISSUER_URL.`,
  ])
  t.match(problems('', { [`${providers}_CORP_ISUER_URL`]: 'x' }).join(), 'is not a setting')
})
