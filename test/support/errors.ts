/** Bodies of the contract's errors that do not depend on the request. */
export const unauthenticated = {
  code: 16,
  message: 'request was not authenticated',
  details: [],
} as const

export const notFound = { code: 5, message: 'Not Found', details: [] } as const
