import type { FlagType } from '@svc/client/api'

/** What the URL of the list of flags says: all that a reader has set. */
export interface FlagsSearch {
  readonly q?: string
  readonly type?: FlagType
  readonly enabled?: boolean
  readonly tags?: readonly string[]
  readonly sort?: Sort
  /** From 1. */
  readonly page?: number
}

const sorts = ['name', '-name', 'key', '-key', 'updatedAt', '-updatedAt'] as const
export type Sort = (typeof sorts)[number]

export function readFlagsSearch(search: Record<string, unknown>): FlagsSearch {
  const { q, type, enabled, tags, sort, page } = search
  const knownSort = sorts.find((one) => one === sort)
  return {
    ...(typeof q === 'string' && q !== '' && { q }),
    ...((type === 'BOOLEAN_FLAG_TYPE' || type === 'VARIANT_FLAG_TYPE') && { type }),
    ...(typeof enabled === 'boolean' && { enabled }),
    ...(isTexts(tags) && tags.length > 0 && { tags }),
    ...(knownSort && { sort: knownSort }),
    ...(Number.isInteger(page) && Number(page) > 1 && { page: Number(page) }),
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
