import { SvcError } from './api/error.ts'

/** Says what to do about an error of a connection, where that is known. */
export function explainFailure(error: SvcError, url: string, namespace: string): SvcError {
  const message = adviceFor(error, url, namespace)
  if (message === undefined) return error
  const { status, code, requestId } = error
  return new SvcError(message, { status, code, requestId, cause: error })
}

function adviceFor(
  { status, message }: SvcError,
  url: string,
  namespace: string,
): string | undefined {
  switch (status) {
    case 401:
      return `${url} does not accept the credential (${message}): give a valid one as \`credential\``
    case 403:
      return `the credential may not read the flags of namespace "${namespace}" (${message})`
    case 404:
      return `${url} is not where the service is (${message}): check \`url\``
    default:
      return undefined
  }
}
