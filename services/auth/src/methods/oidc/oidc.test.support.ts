import { settingsFor } from '../../auth.test.support.ts'

export const section = 'SVC_AUTHENTICATION_METHODS_OIDC'

export const acmeIssuer = 'https://127.0.0.1:1'

/** An environment with the provider `acme`, which cannot be reached. */
export const acmeEnv = (more: Readonly<Record<string, string>> = {}) => ({
  SVC_SERVER_PUBLIC_URL: 'https://flags.example.com',
  [`${section}_ENABLED`]: 'true',
  [`${section}_PROVIDERS_ACME_ISSUER_URL`]: acmeIssuer,
  [`${section}_PROVIDERS_ACME_CLIENT_ID`]: 'flags',
  [`${section}_PROVIDERS_ACME_CLIENT_SECRET`]: 'a-secret',
  ...more,
})

export const acmeSettings = (more?: Readonly<Record<string, string>>) =>
  settingsFor('postgres://svc@127.0.0.1/svc', acmeEnv(more)).authentication.methods.oidc
