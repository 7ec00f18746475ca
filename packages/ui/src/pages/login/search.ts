import { compact, readText } from '../../app/search.ts'

/** What the URL of the login page says. */
export interface LoginSearch {
  /** The path of the page to come back to. */
  readonly back?: string
  /** Why a login at a provider has failed. */
  readonly error?: string
  /** Names that login in the logs of the service. */
  readonly request?: string
}

export function readLoginSearch({ back, error, request }: Record<string, unknown>): LoginSearch {
  const path = readText(back)
  return compact({
    // A path of this site: `//elsewhere` would be another one.
    back: path !== undefined && /^\/(?![/\\])/.test(path) ? path : undefined,
    error: readText(error),
    request: readText(request),
  })
}
