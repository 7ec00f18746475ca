/** What the URL of the login page says. */
export interface LoginSearch {
  /** The path of the page to come back to. */
  readonly back?: string
  /** Why a login at a provider has failed. */
  readonly error?: string
}

export function readLoginSearch(search: Record<string, unknown>): LoginSearch {
  const { back, error } = search
  return {
    // A path of this site: `//elsewhere` would be another one.
    ...(typeof back === 'string' && /^\/(?![/\\])/.test(back) && { back }),
    ...(typeof error === 'string' && { error }),
  }
}
