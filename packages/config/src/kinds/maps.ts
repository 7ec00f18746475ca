import { z } from 'zod'
import { isQuotable, listOf } from './values.ts'

/** Texts by name. The names are those of metadata, which are stored as they stand. */
export function textMap(maxEntries: number, maxBytes: number) {
  const demand = 'must hold "key: text" lines'
  const value = z.string({
    error: ({ input }) => (isQuotable(input) ? `${demand}, with the texts in quotes` : demand),
  })
  return z
    .record(z.string(), value, { error: demand })
    .refine((map) => Object.keys(map).every((key) => /^[a-z0-9][a-z0-9._/-]*$/.test(key)), {
      error: 'must have keys of letters, digits or any of . _ / -',
    })
    .refine(
      (map) => {
        const texts = Object.entries(map).flat()
        const isSmall = Buffer.byteLength(texts.join('')) <= maxBytes
        return isSmall && texts.length <= 2 * maxEntries && !texts.join('').includes('\0')
      },
      { error: `must have at most ${maxEntries} entries and ${maxBytes} bytes, none of them 0` },
    )
    .prefault({})
    .meta({ map: true })
}

/** Lists of texts by name. */
export function textLists(maxEntries: number, maxBytes: number) {
  const error = 'must hold "key: [text, text]" lines'
  return z
    .record(z.string(), listOf(z.string({ error }).min(1)), { error })
    .refine((map) => Object.keys(map).every((key) => /^[a-z0-9][a-z0-9._-]*$/.test(key)), {
      error: 'must have keys of letters, digits or any of . _ -',
    })
    .refine(
      (map) => Object.keys(map).length <= maxEntries && JSON.stringify(map).length <= maxBytes,
      { error: `must have at most ${maxEntries} entries and ${maxBytes} bytes` },
    )
    .prefault({})
    .meta({ map: true })
}

/** Maximum number of sections of one kind, such as OpenID providers. */
const maxSections = 64

/** Sections by names that the operator chooses. */
export function namedSections<T extends z.ZodObject>(section: T) {
  return z
    .record(z.string().regex(/^[a-z0-9_-]{1,64}$/), section)
    .refine((sections) => Object.keys(sections).length <= maxSections, {
      error: `has more than ${maxSections} sections`,
    })
    .prefault({})
    .meta({ section })
}
