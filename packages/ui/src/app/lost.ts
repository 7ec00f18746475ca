import { createElement } from 'react'
import { showToast } from '../components/toast.tsx'
import { messageOf } from '../data/errors.ts'
import { readWhenReachable } from '../data/settle.ts'
import { Rich } from '../text/rich.tsx'
import { useTexts } from '../text/texts.ts'
import { appTexts } from './texts.ts'

let count = 0

/**
 * @returns what looks up what has become of a write whose answer did not come, and says meanwhile that this is
 *   not known. It answers whether the write was done, and nothing when that cannot be found out.
 */
export function useLost(): (
  name: string,
  /** Reads the object, shows it and says whether it is what the write makes of it. */
  isDone: () => Promise<boolean>,
) => Promise<boolean | undefined> {
  const t = useTexts(appTexts)
  return async (name, isDone) => {
    const id = `lost-${++count}`
    const say = (text: string) => showToast(createElement(Rich, { text }), { id, isFailure: true })
    const close = say(t.lost(name))
    try {
      const isFound = await readWhenReachable(isDone)
      if (isFound) close()
      else say(t.lostNotDone(name))
      return isFound
    } catch (error) {
      say(t.lostUnknown(name, messageOf(error)))
      return undefined
    }
  }
}
