import type { FieldRules } from '@svc/contract'
import type { Database, Queryable } from '@svc/database'
import type { PageOf, PageRequest } from '../records/paging.ts'
import { checkRequest } from '../records/requests.ts'
import { commitChange, type Write } from './commit.ts'
import { etagOf, tagOf } from './etag.ts'
import type { ChangeContext } from './origin.ts'
import type { RecordOf } from './record-of.ts'
import type { UseCase } from './use-cases.ts'

/** Names the namespace that it is about. */
type Scoped = { readonly namespaceKey: string } | { readonly key: string }

const namespaceOf = (request: Scoped): string =>
  'namespaceKey' in request ? request.namespaceKey : request.key

/** The part of a `Table` that is used here. */
interface Readable<Message> {
  getWithRevision(
    db: Queryable,
    request: object,
  ): Promise<{ readonly message: Message; readonly revision: number }>
  list(db: Queryable, request: PageRequest): Promise<PageOf<Message>>
}

/** The handler of a list. @param toAnswer the field that has the records */
export function listHandler<Request extends PageRequest, Message, Answer>(
  db: Database,
  rules: NoInfer<FieldRules<Request>>,
  table: Readable<Message>,
  toAnswer: (records: Message[]) => Answer,
) {
  return async (request: Request) => {
    const { items, ...rest } = await table.list(db, checkRequest(rules, request))
    return { ...toAnswer(items), ...rest }
  }
}

/** The handler of a read of one record. The answer has its tag. */
export function getHandler<Request extends Scoped, Message>(
  db: Database,
  rules: NoInfer<FieldRules<Request>>,
  table: Readable<Message>,
) {
  return async (request: Request, { setTrailer }: Pick<ChangeContext, 'setTrailer'>) => {
    const checked = checkRequest(rules, request)
    const { message, revision } = await table.getWithRevision(db, checked)
    setTrailer('svc-etag', etagOf(tagOf(namespaceOf(checked), revision)))
    return message
  }
}

/** The handler of a change in a transaction of its own. @param toStored the request as it is stored */
export function changeHandler<Request extends Scoped, Result>(
  db: Database,
  rules: NoInfer<FieldRules<Request>>,
  recordOf: NoInfer<RecordOf<Request>>,
  useCase: UseCase<Request, Result>,
  toStored = (request: Request) => request,
) {
  return async (request: Request, context: ChangeContext) => {
    const checked = toStored(checkRequest(rules, request))
    return commitChange(db, targetOf(checked, recordOf), context, (tx, change) =>
      useCase(tx, change, checked),
    )
  }
}

function targetOf<Request extends Scoped>(request: Request, recordOf: RecordOf<Request>) {
  return { namespaceKey: namespaceOf(request), records: [recordOf(request)] }
}

/** The handler of a deletion: what is missing is no error. */
export function deletionHandler<Request extends Scoped>(
  db: Database,
  rules: NoInfer<FieldRules<Request>>,
  recordOf: NoInfer<RecordOf<Request>>,
  useCase: UseCase<Request, void>,
) {
  return async (request: Request, context: ChangeContext) => {
    const checked = checkRequest(rules, request)
    const remove: Write<void> = (tx, change) => useCase(tx, change, checked)
    // A missing namespace holds nothing.
    const missing = () => {}
    await commitChange(db, targetOf(checked, recordOf), context, remove, { missing })
    return {}
  }
}
