import type { FlagDocument, VariantDocument } from '@svc/client/api'
import { isEqual } from '../../../data/draft.ts'
import { defaultIdOf } from './edits.ts'

/** What others have changed while a variant was edited: another part, the default, or the variant itself. */
export type Conflict = 'elsewhere' | 'default' | 'here' | 'deleted'

/** A variant that is edited. */
interface Edited {
  /** The flag that was read for it. */
  readonly base: FlagDocument
  /** The variant as it was in that; one without an id is new. */
  readonly before: VariantDocument
  readonly form: VariantDocument
}

interface Met {
  readonly before: VariantDocument
  readonly form: VariantDocument
  readonly conflict: Conflict
}

/**
 * What was typed, on what others have made of the flag. Which variant is the default is theirs to say, unless it
 * was chosen here.
 */
export function onTheirs({ base, before, form }: Edited, now: FlagDocument): Met {
  const theirs = now.variants.find(({ id }) => id === before.id && id !== '')
  const isChosen = form.default !== before.default
  const isDefault = theirs?.default ?? (before.default && defaultIdOf(now) === undefined)
  const mine = isChosen ? form : { ...form, default: isDefault }
  if (theirs === undefined && before.id !== '')
    return { before, form: { ...mine, id: '' }, conflict: 'deleted' }
  const same = { ...before, default: isDefault }
  if (theirs !== undefined && !isEqual(theirs, same))
    return { before: theirs, form: mine, conflict: 'here' }
  const isMoved = defaultIdOf(now) !== defaultIdOf(base) && !isDefault
  return {
    before: same,
    form: mine,
    conflict: isChosen && mine.default && isMoved ? 'default' : 'elsewhere',
  }
}
