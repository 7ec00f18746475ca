import { createHash } from 'node:crypto'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import { ApplyRequest, type ApplyResult } from '@svc/proto/resource/v1/apply'
import { invalidField } from '@svc/runtime'
import type { ChangeContext } from '../changes/origin.ts'
import { checkRequest } from '../records/requests.ts'
import { operationsInMemory } from './apply.ts'
import { commitOperations, toResult } from './commit.ts'
import { checkDetails } from './details.ts'
import { toOperations } from './operations.ts'

/** The handler of `Apply`. */
export function applyHandler(db: Database) {
  return async (sent: ApplyRequest, context: ChangeContext): Promise<ApplyResult> => {
    const request = checkRequest(fieldRules.ApplyRequest, sent)
    const { namespaceKey, dryRun, comment, manager, prune, takeOver, plan } = request
    if (prune && manager === '') throw invalidField('prune', 'takes a manager')
    const operations = toOperations(namespaceKey, request.operations)
    const details = { ...checkDetails(request.details), ...(manager !== '' && { manager }) }
    const options = {
      ...{ isDryRun: dryRun, prune, takeOver, plan },
      ...(comment !== '' && { comment }),
      ...(manager !== '' && { manager }),
      ...(Object.keys(details).length > 0 && { details }),
    }
    const done = await commitOperations(
      db,
      { namespaceKey, records: [] },
      context,
      operationsInMemory(operations, digestOf(request)),
      options,
    )
    return toResult(done, options)
  }
}

/** Names the operations of a request and what they do. */
function digestOf({ operations }: ApplyRequest): string {
  const bytes = ApplyRequest.encode(ApplyRequest.fromPartial({ operations })).finish()
  return createHash('sha256').update(bytes).digest('hex')
}
