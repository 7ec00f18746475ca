import type { Flag } from '@svc/client/api'
import { hueOf, type Share } from '../../components/hue.ts'
import type { Format } from '../../text/format.ts'
import type { FlagsTexts } from './texts.ts'

/** What people get from a flag, as far as that follows from its rules alone. */
export interface Serves {
  readonly sentence: string
  /** Nothing where the shares depend on who is in a segment. */
  readonly shares: readonly Share[] | undefined
}

export function servesOf(flag: Flag, t: FlagsTexts, { number, share }: Format): Serves {
  const { ruleCount = 0, rolloutCount = 0, onShare, defaultVariantKey } = flag.summary ?? {}
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    if (onShare === undefined) {
      const sentence = t.rollouts(rolloutCount, number(rolloutCount), flag.enabled)
      return { sentence, shares: undefined }
    }
    const sentence =
      onShare >= 100 ? t.onForEveryone : onShare <= 0 ? t.offForEveryone : t.onFor(share(onShare))
    return { sentence, shares: [{ name: 'on', hue: 'on', percentage: onShare }] }
  }
  const name = defaultVariantKey
  if (!flag.enabled)
    return { sentence: name === undefined ? t.disabled : t.disabledGets(name), shares: [] }
  if (ruleCount > 0)
    return { sentence: t.rules(ruleCount, number(ruleCount), name), shares: undefined }
  if (name === undefined) return { sentence: t.everyoneGetsNothing, shares: [] }
  const place = flag.variants.findIndex(({ key }) => key === name)
  return { sentence: t.everyoneGets(name), shares: [{ name, hue: hueOf(place), percentage: 100 }] }
}
