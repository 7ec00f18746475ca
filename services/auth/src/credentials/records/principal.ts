import { hash } from 'node:crypto'
import type { Authentication, Method } from '@svc/proto/auth/v1/authentications'

/** What the issuer of a credential calls its holder. */
export type SubjectOf = (
  metadata: Readonly<Record<string, string>>,
) => readonly (string | undefined)[]

/**
 * Who the holder of a record is, wherever it logged in and however often: the id of a static token; of
 * people and workloads a hash.
 *
 * @param rootId see {@link TokenRecord.rootId}
 */
export function principalOf(
  { method, metadata }: Pick<Authentication, 'method' | 'metadata'>,
  rootId: string,
  subjectOf: SubjectOf | undefined,
): string {
  const subject = subjectOf?.(metadata)
  return subject === undefined ? rootId : hashSubject(method, subject)
}

/** The principal of a subject. It does not show what the issuer calls it. */
export function hashSubject(method: Method, subject: ReturnType<SubjectOf>): string {
  return hash('sha256', JSON.stringify([method, ...subject]), 'hex').slice(0, principalLength)
}

/** Of 128 bits, in hexadecimal digits. */
const principalLength = 32
