import type { Flag, OperationInput } from '@svc/client/api'
import { tagsOf } from '../../data/queries.ts'

/** Operations that turn flags on or off, of those that are not so already. */
export function toEnable(flags: readonly Flag[], enabled: boolean): readonly OperationInput[] {
  return flags
    .filter((flag) => flag.enabled !== enabled)
    .map(({ key }) => ({ kind: 'FLAG_KIND', key, patch: { enabled } }))
}

/** Operations that add a tag, to those that do not have it. What else is in the metadata stays. */
export function toTag(flags: readonly Flag[], tag: string): readonly OperationInput[] {
  return flags
    .filter((flag) => !tagsOf(flag).includes(tag))
    .map((flag) => {
      const tags = flag.metadata?.tags
      const patch = { metadata: { tags: [...(Array.isArray(tags) ? tags : []), tag] } }
      // Others may have changed the tags since the list was read. `null`: there are none.
      const expect = { metadata: { tags: tags ?? null } }
      return { kind: 'FLAG_KIND', key: flag.key, patch, expect }
    })
}

export function toDelete(keys: readonly string[]): readonly OperationInput[] {
  return keys.map((key) => ({ kind: 'FLAG_KIND', key, delete: true }))
}
