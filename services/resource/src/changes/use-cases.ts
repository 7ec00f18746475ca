import type { Queryable } from '@svc/database'
import type { RpcClient, ServiceDefinition } from '@svc/rpc'
import type { AppError } from '@svc/runtime'
import { explainViolations, type ViolationErrors } from '../records/errors.ts'
import type { RecordOf } from './record-of.ts'
import type { ChangeRecorder } from './recorder.ts'

/** One change of one resource, of a checked request. Several may share a transaction. */
export type UseCase<Request, Result> = (
  tx: Queryable,
  change: ChangeRecorder,
  request: Request,
) => Promise<Result>

/** The part of a `Table` that is used here. */
interface Writable<Message> {
  readonly kind: string
  insert(tx: Queryable, values: object): Promise<Message>
  update(tx: Queryable, values: object): Promise<Message | undefined>
  delete(tx: Queryable, values: object): Promise<number | undefined>
}

interface UseCaseOptions<Create, Update, Delete> {
  /** What is changed: the record, or the flag or segment that it is part of. */
  readonly recordOf: RecordOf<Create | Update | Delete>
  /** Refuses a request whose parents are missing. */
  readonly checkParents?: (tx: Queryable, request: Create | Update) => Promise<void>
  /** The request as it is stored. */
  readonly toValues?: (request: Create | Update) => object
  readonly violations?: (request: Create | Update | Delete) => ViolationErrors
  readonly notFound: (request: Update) => AppError
}

/** The method of a service whose name begins with the verb. */
type Method<S extends ServiceDefinition, Verb extends string> = RpcClient<S>[keyof S['methods'] &
  `${Verb}${string}`]

type RequestOf<S extends ServiceDefinition, Verb extends string> = Extract<
  Parameters<Method<S, Verb>>[0],
  object
>

/**
 * The use cases of records that are a row each, and what is deleted with it: those of the service's
 * methods to create, update and delete one.
 */
export function useCasesOf<
  S extends ServiceDefinition,
  Create extends object = RequestOf<S, 'create'>,
  Update extends object = RequestOf<S, 'update'>,
  Delete extends object = RequestOf<S, 'delete'>,
  Message = Awaited<ReturnType<Method<S, 'create'>>>,
>(table: Writable<Message>, options: UseCaseOptions<Create, Update, Delete>) {
  const { recordOf, toValues = (request) => request, violations = () => ({}), notFound } = options

  const create: UseCase<Create, Message> = async (tx, change, request) => {
    await options.checkParents?.(tx, request)
    change.changed(recordOf(request))
    return explainViolations(table.insert(tx, toValues(request)), violations(request))
  }

  const update: UseCase<Update, Message> = async (tx, change, request) => {
    await options.checkParents?.(tx, request)
    const updating = table.update(tx, toValues(request))
    const record = await explainViolations(updating, violations(request))
    if (record === undefined) throw notFound(request)
    change.changed(recordOf(request))
    return record
  }

  /** A record that is missing is no error. */
  const remove: UseCase<Delete, void> = async (tx, change, request) => {
    const bytes = await explainViolations(table.delete(tx, request), violations(request))
    if (bytes === undefined) return
    const record = recordOf(request)
    if (record.kind === table.kind) change.deleted(record, bytes)
    else change.changed(record)
  }

  return { create, update, remove }
}
