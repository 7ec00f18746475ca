import { hash } from 'node:crypto'
import type { Authentication } from '@svc/proto/auth/v1/authentications'

/** What the issuer of a credential calls its holder. */
export type SubjectOf = (
  metadata: Readonly<Record<string, string>>,
) => readonly (string | undefined)[]

/**
 * Who the holder of a credential is, wherever it logged in and however often: the id of a static token; of
 * people and workloads a hash, which does not show what their issuer calls them.
 */
export function principalOf(
  { id, method, metadata }: Pick<Authentication, 'id' | 'method' | 'metadata'>,
  subjectOf: SubjectOf | undefined,
): string {
  const subject = subjectOf?.(metadata)
  if (subject === undefined) return id
  return hash('sha256', JSON.stringify([method, ...subject]), 'hex').slice(0, principalLength)
}

/** Of 128 bits, in hexadecimal digits. */
const principalLength = 32
