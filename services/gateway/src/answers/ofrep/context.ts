import type { Context } from '@svc/evaluation'
import { invalidField } from '@svc/runtime'
import { type JsonObject, readContextOf } from '../evaluation/request.ts'

/** As many as a batch may have, contract decision 20. */
const maxKeys = 1000

/** What a request says about whom to evaluate for. */
export interface AskedContext {
  readonly context: Context
  /** Whom the flags are evaluated for, if the context says so. */
  readonly targetingKey: string | undefined
  /** Which flags are asked for; all, if the context does not say. */
  readonly flagKeys: readonly string[] | undefined
}

/** @throws {AppError} `invalid_argument` for a context of the wrong type or over its limits */
export function readContext(body: JsonObject): AskedContext {
  const context = readContextOf(body)
  return {
    context,
    targetingKey: Object.hasOwn(context, 'targetingKey') ? context.targetingKey : undefined,
    flagKeys: readFlagKeys(context),
  }
}

/** A list without anything in it is none. */
function readFlagKeys(context: Context): readonly string[] | undefined {
  if (!Object.hasOwn(context, 'flags')) return undefined
  const items = (context.flags ?? '').split(',', maxKeys + 1)
  if (items.length > maxKeys) throw invalidField('flags', `must list at most ${maxKeys} flags`)
  const keys = items.map((key) => key.trim()).filter((key) => key !== '')
  return keys.length === 0 ? undefined : keys
}
