import type { FlagDocument } from '@svc/client/api'
import { shareOn } from '@svc/evaluation'
import { stopOf } from '../data/stop.ts'
import { answersEveryone } from './reach.ts'

/** What people get from a flag, as far as that follows from its rules alone. */
export type FlagState =
  | { readonly kind: 'stopped' }
  /** A boolean flag. @see share */
  | {
      readonly kind: 'boolean'
      /** Whom it is on for, in per cent. Nothing where that depends on who is in a segment. */
      readonly share: number | undefined
      readonly rollouts: number
      readonly isElseOn: boolean
    }
  | { readonly kind: 'enabled'; readonly variants: number; readonly rules: number }
  /** Everyone gets the default; without one, what the code has. */
  | { readonly kind: 'disabled'; readonly gets: string | undefined }

/** @param isForEveryone whether all entities are in a segment */
export function stateOf(
  flag: FlagDocument,
  isForEveryone: (segmentKey: string) => boolean,
): FlagState {
  const { type, enabled, rollouts, rules, variants } = flag
  if (type !== 'BOOLEAN_FLAG_TYPE') {
    return enabled
      ? { kind: 'enabled', variants: variants.length, rules: rules.length }
      : { kind: 'disabled', gets: variants.find((variant) => variant.default)?.key }
  }
  const [first] = rollouts
  if (first !== undefined && first === stopOf(flag)) return { kind: 'stopped' }
  const share = shareOn(
    enabled,
    rollouts.map(({ segment, threshold }) => ({
      value: (segment ?? threshold)?.value ?? false,
      percentage: threshold?.percentage,
      isForEveryone: segment !== undefined && answersEveryone(segment, isForEveryone),
    })),
  )
  return { kind: 'boolean', share, rollouts: rollouts.length, isElseOn: enabled }
}
