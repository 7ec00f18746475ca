import type { Database } from '@svc/database'
import { openTestDatabase, type TestDatabase } from '@svc/database/testing'
import { migrations, schema } from '../schema.ts'
import { managementHandlers, managementServices } from '../services.ts'
import { lenient } from './lenient.ts'

export type Resources = ReturnType<typeof handlersOn> & {
  readonly db: TestDatabase
  /** The revision of a namespace, `default` unless named. */
  revision(namespaceKey?: string): Promise<number | undefined>
}

/** What this needs of a test: a hook for its end. */
export interface Test {
  teardown(work: () => Promise<void>): void
}

/** A database of the test's own, and the handlers of every service on it. */
export async function openResources(t: Test): Promise<Resources> {
  const db = await openTestDatabase(t, { [schema]: migrations })
  return {
    db,
    ...handlersOn(db),
    async revision(namespaceKey = 'default') {
      const [row] = await db.query<{ revision: number }>(
        'SELECT revision FROM resource.namespaces WHERE key = $1',
        [namespaceKey],
      )
      return row?.revision
    },
  }
}

/** The handlers of every service, as of a replica that has this connection pool. */
export function handlersOn(db: Database) {
  return lenient(
    managementServices,
    managementHandlers(db, () => {}),
  )
}
