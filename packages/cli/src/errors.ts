import { SvcError } from '@svc/client/api'
import { type Connection, tokenOrigins } from './connection.ts'
import { CliError, exitCodeOf } from './exit-codes.ts'
import type { Output } from './output.ts'

/** Tells an error on stderr: what is wrong, and what to do. With `--json`: as one line of JSON. */
export function explainError(error: unknown, output: Output, connection?: Connection): void {
  const message = toMessage(error)
  const hint = findHint(error, connection)
  if (!output.isJson) {
    output.error(message, hint)
    return
  }
  const { status, code, requestId } = error instanceof SvcError ? error : {}
  const exitCode = exitCodeOf(error)
  output.errorValue({ error: { message, hint, exitCode, status, code, requestId } })
}

/** That of `fetch` says no more than that it failed: why is below it. */
function toMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const below =
    error instanceof SvcError && error.cause instanceof Error ? error.cause.cause : undefined
  const code: unknown = Reflect.get(Object(below), 'code')
  return typeof code === 'string' ? error.message.replace(/fetch failed$/, code) : error.message
}

function findHint(error: unknown, connection: Connection | undefined): string | undefined {
  if (error instanceof CliError) return error.hint
  if (!(error instanceof SvcError) || connection === undefined) return undefined
  const { tokenFrom, url } = connection
  switch (error.status) {
    case 0:
      return `Is this the address of the service, and is it running? \`svc doctor --url ${url}\` checks the way to it.`
    case 401:
      return tokenFrom === 'nothing'
        ? 'No token was given: `svc login`, SVC_TOKEN or --token-file FILE.'
        : `Sent was ${tokenOrigins[tokenFrom]}. It has expired, was deleted, or is of another service: \`svc login\` gets a new one.`
    case 403:
      return tokenFrom === 'nothing'
        ? 'No token was given: `svc login`, SVC_TOKEN or --token-file FILE.'
        : `Sent was ${tokenOrigins[tokenFrom]}. \`svc whoami\` says what it may.`
    case 412:
      return 'It has changed since it was read. Read it again, and decide anew.'
    case 429:
    case 502:
    case 503:
    case 504:
      return 'Try again in a moment; `svc doctor` says what is wrong with the service.'
    default:
      return undefined
  }
}
