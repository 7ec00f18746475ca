import { type Conflict, findMethodConflicts } from './conflicts.authentication.ts'
import type { Settings } from './settings.ts'

/**
 * Settings that cannot both be meant. What is merely without effect is allowed, so that one thing
 * can be turned off for a while and the rest left as it is.
 */
export function findConflicts(settings: Settings): Conflict[] {
  const { authentication, cors, internal } = settings
  const { enabled, bootstrap } = authentication.methods.token
  const conflicts: Conflict[] = findMethodConflicts(settings)
  const bootstrapKeys = [
    bootstrap.token !== undefined && 'token',
    bootstrap.expiration !== undefined && 'expiration',
    bootstrap.force && 'force',
  ]
  for (const name of bootstrapKeys.filter((name) => typeof name === 'string' && !enabled)) {
    conflicts.push({
      key: `authentication.methods.token.bootstrap.${name}`,
      wrong: 'asks for a first token, but authentication.methods.token.enabled is false',
      remedy: 'Remove one of the two',
    })
  }
  if (enabled && !bootstrap.log && bootstrap.token === undefined) {
    conflicts.push({
      key: 'authentication.methods.token.bootstrap.log',
      wrong:
        'is false, but authentication.methods.token.bootstrap.token is not set: nobody could ever' +
        ' know the first token',
      remedy: 'Set the one or remove the other',
    })
  }
  if (cors.enabled && cors.allowedOrigins.length === 0) {
    conflicts.push({
      key: 'cors.enabled',
      wrong: 'is true, but cors.allowed_origins lists none',
      remedy: 'List them there or in SVC_CORS_ALLOWED_ORIGINS',
    })
  }
  if (
    internal.secret !== undefined &&
    internal.assertionKey?.reveal() === internal.secret.reveal()
  ) {
    conflicts.push({
      key: 'internal.assertion_key',
      wrong: 'is the same as internal.secret, which gateways know: they could vouch for anybody',
      remedy: 'Make another',
    })
  }
  const { caFile, certFile, keyFile } = internal.tls
  const files = [caFile, certFile, keyFile].filter((file) => file !== undefined)
  if (files.length === 1 || files.length === 2) {
    conflicts.push({
      key: 'internal.tls.ca_file',
      wrong: 'needs cert_file and key_file, and they need it: each side proves who it is',
      remedy: 'Give all three or none',
    })
  }
  return conflicts
}
