import { AppError } from '@svc/runtime'

/** A refusal of a credential or login. */
class Unauthenticated extends AppError {
  /** For the log of events alone. */
  readonly why: string

  constructor(why: string) {
    super('unauthenticated', 'unauthenticated', 'request was not authenticated')
    this.why = why
  }
}

/**
 * The same for every bad credential: its holder learns nothing from the answer.
 *
 * @param why for the log of events, in words of this service such as `not_admitted`
 */
export function unauthenticated(why = 'invalid_credential'): AppError {
  return new Unauthenticated(why)
}

/** Why an error refuses a credential or login; nothing for any other error. */
export function refusalOf(error: unknown): string | undefined {
  if (error instanceof Unauthenticated) return error.why
  if (!(error instanceof AppError)) return undefined
  return ['unauthenticated', 'permission_denied'].includes(error.code) ? error.reason : undefined
}
