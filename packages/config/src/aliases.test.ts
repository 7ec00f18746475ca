import t from 'tap'
import { loadEnv, loadText, problemsOf } from './loading.test.support.ts'

const methods = 'authentication.methods'
const issuer = `${methods}.jwt.issuers.<name>`

/** What stands below `authentication.methods`, and the name that is suggested for it. */
const keys: readonly [text: string, meant: string][] = [
  ['github:\n      enabled: true', `${methods}.codehost`],
  ['GitHub:\n      client_id: x', `${methods}.codehost`],
  ['github.client_id: x', `${methods}.codehost.client_id`],
  ['kubernetes:\n      enabled: true', `${methods}.orchestrator`],
  ['k8s:\n      enabled: true', `${methods}.orchestrator`],
  ['kubernetes.ca_path: /x', `${methods}.orchestrator.ca_file`],
  ['orchestrator:\n      discovery_url: https://x', `${methods}.orchestrator.api_url`],
  ['orchestrator:\n      service_account_token_path: /x', `${methods}.orchestrator.token_file`],
  ['jwt:\n      jwks_url: https://x', `${issuer}.jwks_url`],
  ['jwt:\n      public_key_file: /x', `${issuer}.public_key_file`],
  ['jwt:\n      validate_claims:\n        issuer: x', issuer],
  ['jwt.validate_claims.audiences: [x]', `${issuer}.audiences`],
]

for (const [text, meant] of keys) {
  t.test(`a file with ${text.replaceAll(/\s+/g, ' ')} is told of ${meant}`, async (t) => {
    const file = `authentication:\n  methods:\n    ${text}\n`
    const [problem = '', ...more] = problemsOf(() => loadText(t.testdir(), file))
    t.match(problem, / is not a setting\. Did you mean "([^"]*)"\?$/)
    t.equal(/"(.*)"/.exec(problem)?.[1], meant)
    t.strictSame(more, [])
  })
}

const variables: readonly [name: string, meant: string][] = [
  ['GITHUB_ENABLED', 'CODEHOST_ENABLED'],
  ['GITHUB_CLIENT_SECRET_FILE', 'CODEHOST_CLIENT_SECRET_FILE'],
  ['KUBERNETES_ENABLED', 'ORCHESTRATOR_ENABLED'],
  ['KUBERNETES_DISCOVERY_URL', 'ORCHESTRATOR_API_URL'],
  ['JWT_JWKS_URL', 'JWT_ISSUERS_<NAME>_JWKS_URL'],
  ['JWT_VALIDATE_CLAIMS_ISSUER', 'JWT_ISSUERS_<NAME>_ISSUER'],
]

for (const [name, meant] of variables) {
  t.test(`the variable ${name} is told of ${meant}`, async (t) => {
    const prefix = 'SVC_AUTHENTICATION_METHODS_'
    t.strictSame(
      problemsOf(() => loadEnv({ [prefix + name]: 'x' })),
      [`${prefix}${name}  is not a setting. Did you mean "${prefix}${meant}"?`],
    )
  })
}
