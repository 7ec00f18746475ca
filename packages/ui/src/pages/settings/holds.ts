import type { Namespace } from '@svc/client/api'
import type { Format } from '../../text/format.ts'
import type { SettingsTexts } from './texts.ts'

/** What a namespace holds, such as `12 flags and 3 segments`; empty for nothing. */
export function holds(
  { flagCount = 0, segmentCount = 0 }: Pick<Namespace, 'flagCount' | 'segmentCount'>,
  t: Pick<SettingsTexts, 'flags' | 'segments'>,
  { number, list }: Pick<Format, 'list' | 'number'>,
): string {
  return list([
    ...(flagCount > 0 ? [t.flags(flagCount, number(flagCount))] : []),
    ...(segmentCount > 0 ? [t.segments(segmentCount, number(segmentCount))] : []),
  ])
}
