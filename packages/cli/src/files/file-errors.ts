import { ApplyError, FilesError } from '@svc/documents/files'
import { CliError, exitCodeOf, exitCodes } from '../exit-codes.ts'

/** Where an object of files is, such as `flags.yml:12:3`. */
export type PlaceOf = (
  namespaceKey: string,
  kind: 'flag' | 'segment',
  key: string,
) => string | undefined

/** What reading files, and applying what is in them, is refused with, as it is told: with places. */
export function withPlace(error: unknown, placeOf: PlaceOf = () => undefined): unknown {
  if (error instanceof FilesError) {
    const { length } = error.problems
    const hint = length < 100 ? 'Nothing was sent.' : 'Nothing was sent. There may be more.'
    return new CliError(exitCodes.usage, error.message, hint, { cause: error })
  }
  if (!(error instanceof ApplyError)) return error
  const { namespaceKey, operation, reason } = error
  const place =
    namespaceKey !== undefined && operation !== undefined && operation.kind !== 'NAMESPACE_KIND'
      ? placeOf(namespaceKey, operation.kind === 'FLAG_KIND' ? 'flag' : 'segment', operation.key)
      : undefined
  const message = place === undefined ? error.message : `${place}: ${error.message}`
  return new CliError(exitCodeOf(error), message, hints[reason] ?? 'Nothing was written.', {
    cause: error,
  })
}

const hints: Readonly<Record<string, string>> = {
  plan_changed: 'Nothing was written. Run it again to see what it would do now.',
  still_applying: 'Run it again in a while: what is done is not done twice.',
}
