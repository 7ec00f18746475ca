import { compact, readText, readWord } from '../../app/search.ts'

/** Why a login at a provider has failed, as the service says it. */
const failures = ['declined', 'refused', 'busy', 'unavailable', 'failed'] as const

export type LoginFailure = (typeof failures)[number]

/** What the URL of the login page says. */
export interface LoginSearch {
  /** The path of the page to come back to. */
  readonly back?: string
  readonly error?: LoginFailure
  /** Names that login in the logs of the service. */
  readonly request?: string
}

export function readLoginSearch({ back, error, request }: Record<string, unknown>): LoginSearch {
  const path = readText(back)
  return compact({
    // A path of this site: `//elsewhere` would be another one.
    back: path !== undefined && /^\/(?![/\\])/.test(path) ? path : undefined,
    // Never a text of the URL, which may be anything.
    error: readText(error) === undefined ? undefined : (readWord(error, failures) ?? 'failed'),
    request: /^[\w-]{1,64}$/.test(readText(request) ?? '') ? readText(request) : undefined,
  })
}
