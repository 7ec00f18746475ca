import type { FlagDocumentInput } from '@svc/client/api'
import * as z from 'zod/mini'
import { keySchema, nameSchema } from '../../../app/name-and-key/schema.ts'
import type { NameAndKeyTexts } from '../../../app/name-and-key/texts.ts'
import { keyPattern } from '../../../data/keys.ts'
import type { NewFlagTexts } from './texts.ts'

export interface NewFlagForm {
  readonly type: 'boolean' | 'variant'
  readonly name: string
  readonly key: string
  readonly description: string
  readonly tags: readonly string[]
  readonly variants: readonly string[]
}

export function schemaFor(t: NewFlagTexts, n: NameAndKeyTexts) {
  return z
    .object({
      type: z.enum(['boolean', 'variant']),
      name: nameSchema(n),
      key: keySchema(n),
      description: z.string().check(z.trim()),
      tags: z.readonly(z.array(z.string())),
      variants: z.readonly(z.array(z.string().check(z.regex(keyPattern, n.keyWrong)))),
    })
    .check(
      z.refine(({ type, variants }) => type === 'boolean' || variants.length >= 2, {
        path: ['variants'],
        error: t.variantsMissing,
      }),
    )
}

/** The flag that the form describes. One with variants gives its first one to everyone. */
export function toDocument({
  type,
  name,
  key,
  description,
  tags,
  variants,
}: NewFlagForm): FlagDocumentInput {
  return {
    key,
    name,
    description,
    type: type === 'boolean' ? 'BOOLEAN_FLAG_TYPE' : 'VARIANT_FLAG_TYPE',
    enabled: type === 'variant',
    ...(tags.length > 0 && { metadata: { tags: [...tags] } }),
    ...(type === 'variant' && {
      variants: variants.map((key, place) => ({ key, name: key, default: place === 0 })),
    }),
  }
}
