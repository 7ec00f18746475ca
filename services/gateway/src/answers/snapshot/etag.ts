import { hash } from 'node:crypto'
import type { Form } from './form.ts'

/**
 * The tag of a snapshot: the same on every gateway, another one for each revision and form. It goes
 * out without quotes, as the clients of this interface compare it.
 */
export function etagOf(namespaceKey: string, revision: number, { name }: Form): string {
  return hash('sha1', `${namespaceKey}:${revision}:${name}`)
}
