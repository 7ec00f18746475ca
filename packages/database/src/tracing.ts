import type { Span, SpanDescription } from '@svc/telemetry'
import pg from 'pg'

/** The span of a statement. Its text has no values: those are bound. */
export function describeStatement(text: string): SpanDescription {
  const plain = text.replace(/\s+/g, ' ').trim()
  const [operation = ''] = /^\w+/.exec(plain) ?? []
  const [, table] = /\b(?:FROM|INTO|UPDATE) ([a-z_]+\.[a-z_]+)/.exec(plain) ?? []
  const name = table === undefined ? operation : `${operation} ${table}`
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.summary': name,
    'db.query.text': plain,
  }
  return { name, kind: 'client', attributes }
}

/** The code of PostgreSQL for the error of a statement. Its message has values. */
export function noteSqlState(span: Span | undefined, error: unknown): void {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return
  span?.setAttribute('db.response.status_code', error.code)
}
