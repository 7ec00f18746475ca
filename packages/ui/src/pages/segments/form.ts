import type { SegmentDocumentInput } from '@svc/client/api'
import * as z from 'zod/mini'
import { keyPattern, maxKeyLength } from '../../data/keys.ts'
import type { SegmentsTexts } from './texts.ts'

export interface NewSegmentForm {
  readonly name: string
  readonly key: string
  readonly description: string
  readonly match: 'all' | 'any'
}

export function schemaFor(t: SegmentsTexts) {
  return z.object({
    name: z.string().check(z.trim(), z.minLength(1, t.nameMissing), z.maxLength(255, t.tooLong)),
    key: z
      .string()
      .check(
        z.minLength(1, t.keyMissing),
        z.maxLength(maxKeyLength, t.tooLong),
        z.regex(keyPattern, t.keyWrong),
      ),
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
