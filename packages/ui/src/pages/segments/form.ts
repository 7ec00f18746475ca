import type { SegmentDocumentInput } from '@svc/client/api'
import * as z from 'zod/mini'
import { keySchema, nameSchema } from '../../app/name-and-key/schema.ts'
import type { NameAndKeyTexts } from '../../app/name-and-key/texts.ts'

export interface NewSegmentForm {
  readonly name: string
  readonly key: string
  readonly description: string
  readonly match: 'all' | 'any'
}

export function schemaFor(n: NameAndKeyTexts) {
  return z.object({
    name: nameSchema(n),
    key: keySchema(n),
    description: z.string().check(z.trim()),
    match: z.enum(['all', 'any']),
  })
}

/** The segment that the form describes, without constraints yet. */
export function toDocument({
  name,
  key,
  description,
  match,
}: NewSegmentForm): SegmentDocumentInput {
  return {
    key,
    name,
    description,
    matchType: match === 'any' ? 'ANY_MATCH_TYPE' : 'ALL_MATCH_TYPE',
  }
}
