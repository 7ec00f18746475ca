import { isKey } from '@svc/contract'
import { invalidField } from '@svc/runtime'
import { checkText } from '../records/requests.ts'

/** Maximum size of a note, in bytes. */
const maxNoteBytes = 4096

/**
 * What a caller says of its change besides the comment. All other names are for the service itself.
 *
 * @throws {AppError} `invalid_argument`
 */
export function checkDetails(details: Readonly<Record<string, unknown>> = {}) {
  checkText(details, 'details')
  for (const [name, value] of Object.entries(details)) {
    if (name === 'from') checkFrom(value)
    else if (name === 'note') checkNote(value)
    else throw invalidField(`details.${name}`, 'is unknown: details has from, note')
  }
  return details
}

function checkFrom(value: unknown): void {
  const [, key = '', revision] =
    (typeof value === 'string' && /^(.*):(\d{1,16})$/.exec(value)) || []
  if (isKey(key) && revision !== undefined) return
  throw invalidField('details.from', 'must be <namespace>:<revision>')
}

function checkNote(value: unknown): void {
  if (typeof value === 'string' && Buffer.byteLength(value) <= maxNoteBytes) return
  throw invalidField('details.note', `must be a text of at most ${maxNoteBytes} bytes`)
}
