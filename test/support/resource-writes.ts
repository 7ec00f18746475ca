import type { Test } from 'tap'
import { readFixture } from './fixtures.ts'
import { startStack } from './stack.ts'

export type Sent = readonly [method: string, path: string, body?: object | undefined]

/** One write of the resource service, of the table in `test/fixtures/writes.yml`. */
export interface ResourceWrite {
  /** The record, as messages name it. */
  readonly about: string
  /** Where it is read. */
  readonly record: string
  readonly make?: Sent
  readonly request: Sent
  /** Something in the record that is read by itself afterwards. */
  readonly part?: string
}

/** By the name of the operation, in an order in which each finds what it needs. */
export const resourceWrites = readFixture<Readonly<Record<string, ResourceWrite>>>('writes')

/** A stack, and what sends the requests of the table: it fills in the ids that answers have given. */
export async function startWrites(t: Test) {
  const { api } = await startStack(t)
  const ids = new Map<string, string>()
  const withIds = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replace(/\$(\w+)/g, (_, name) => String(ids.get(name))))
  return async ([method, path, body]: Sent, name: string, ifMatch?: string) => {
    const url = path.startsWith('/api/') ? path : `/api/v1/namespaces/n${path}`
    const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch }
    const answer = await api(method, withIds(url), body && withIds(body), headers)
    const { id } = answer.body as { readonly id?: string }
    if (id !== undefined) ids.set(name, id)
    return answer
  }
}
