import type { Caller } from '@svc/access'
import type { CallContext } from '@svc/rpc'
import { invalidField } from '@svc/runtime'
import { checkText } from '../records/requests.ts'

/** The call that asked for a change: its answer carries the revision. */
export type ChangeContext = Pick<CallContext<Caller>, 'caller' | 'setTrailer' | 'get'>

/** Who made a change and why, as it is logged. */
export interface Origin {
  readonly actor: string
  readonly address: string | null
  readonly source: Source
  readonly comment: string
  readonly requestId: string
}

/** By what a change came about. */
export type Source = 'api' | 'apply' | 'undo' | 'proposal' | 'seed'

/** Maximum size of a comment, in bytes. */
const maxCommentBytes = 4096

/** Maximum length of what a gateway says of a request, in characters; it sends nothing longer. */
const maxLabelLength = 64

/** @throws {AppError} `invalid_argument` for a comment that is too long, or is no text */
export function originOf({ caller, get }: ChangeContext, source: Source, said?: string): Origin {
  const comment = said ?? get('svc-comment-bin') ?? ''
  if (Buffer.byteLength(comment) > maxCommentBytes) {
    throw invalidField('comment', `must be at most ${maxCommentBytes} bytes`)
  }
  checkText(comment, 'comment')
  return {
    actor: caller.principal || 'anonymous',
    address: labelOf(get('svc-client-address')) || null,
    source,
    comment,
    requestId: labelOf(get('svc-request-id')),
  }
}

function labelOf(text = ''): string {
  return /^[\x21-\x7e]*$/.test(text) && text.length <= maxLabelLength ? text : ''
}
