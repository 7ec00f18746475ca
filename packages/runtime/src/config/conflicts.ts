import type { Settings } from './settings.ts'

interface Conflict {
  readonly key: string
  readonly wrong: string
  readonly remedy: string
}

/**
 * Settings that cannot both be meant. What is merely without effect is allowed, so that one thing
 * can be turned off for a while and the rest left as it is.
 */
export function findConflicts({ authentication, cors }: Settings): Conflict[] {
  const { enabled, bootstrap } = authentication.methods.token
  const conflicts: Conflict[] = []
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
  return conflicts
}
