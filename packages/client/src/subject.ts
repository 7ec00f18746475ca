import { type Context, type Entity, toContext, toEntity } from '@svc/evaluation'
import type { Subject } from './types.ts'

const emptyContext: Context = Object.freeze({})

/** The id as text: applications also have numbers. */
export function entityIdOf(subject: Subject | undefined): string {
  const id: unknown = subject?.entityId
  if (typeof id === 'string') return id
  return id === undefined || id === null ? '' : String(id)
}

/** The context as texts. @throws {TypeError} when a value refers to itself */
export function contextOf(subject: Subject | undefined): Context {
  // From code without types it may also be null.
  return toContext(subject?.context ?? emptyContext)
}

/** What a local evaluation is about: of the context it reads what constraints ask for. */
export function entityOf(subject: Subject | undefined): Entity {
  return toEntity(entityIdOf(subject), subject?.context ?? emptyContext)
}

/** A subject as it was when it was given: later changes to the application's object do not count. */
export interface FixedSubject {
  readonly entityId: string
  readonly context: Context
  /** Of the request by OFREP, JSON. */
  readonly body: string
}

/** @throws {TypeError} when a value refers to itself */
export function fixSubject(subject: Subject | undefined): FixedSubject {
  const entityId = entityIdOf(subject)
  const context = { ...contextOf(subject) }
  // There it lists the flags that are asked for.
  const { flags: _, ...rest } = context
  const body = JSON.stringify({ context: { ...rest, targetingKey: entityId } })
  return { entityId, context, body }
}

export function isSameSubject(fixed: FixedSubject, subject: Subject): boolean {
  if (entityIdOf(subject) !== fixed.entityId) return false
  const context = contextOf(subject)
  const names = Object.keys(context)
  return (
    names.length === Object.keys(fixed.context).length &&
    names.every((name) => context[name] === fixed.context[name])
  )
}
