import { loadContract } from '@svc/contract'

/** The paths of everything that a service serves when no login method is enabled. */
export function pathsOf(service: 'auth' | 'resource'): readonly string[] {
  return loadContract()
    .operations.filter(({ path, route }) => {
      return path.startsWith(`/svc.${service}.`) && ['', 'token'].includes(route.loginMethod)
    })
    .map(({ path }) => path)
}
