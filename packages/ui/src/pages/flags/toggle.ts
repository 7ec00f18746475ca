import type { Flag } from '@svc/client/api'
import { createElement } from 'react'
import { useDone } from '../../app/done.tsx'
import { useLost } from '../../app/lost.ts'
import type { PageNamespace } from '../../app/namespace.ts'
import { noteTurn } from '../../app/switched/latest-turn.ts'
import { useSwitched } from '../../app/switched/use-switched.ts'
import { showToast } from '../../components/toast.tsx'
import { api } from '../../data/api.ts'
import { isUnsettled, messageOf } from '../../data/errors.ts'
import { servesOn, setEnabled, stopFlag } from '../../data/flag-writes.ts'
import { readFlagLine, showFlagLine } from '../../data/queries.ts'
import { stopOf } from '../../data/stop.ts'
import { Rich } from '../../text/rich.tsx'
import { useTexts } from '../../text/texts.ts'
import { flagsTexts } from './texts.ts'

/**
 * @returns what turns the switch of a flag: it moves at once, back when the service refuses, and what still
 *   gets On is said
 */
export function useToggle({
  key: namespaceKey,
  name: namespaceName,
  confirm,
}: PageNamespace): (flag: Flag, comment?: string) => Promise<void> {
  const t = useTexts(flagsTexts)
  const tellSwitched = useSwitched()
  const done = useDone()
  const settle = useLost()
  const say = (text: string) => createElement(Rich, { text })

  const readLine = async (key: string) => {
    const line = await readFlagLine(namespaceKey, key)
    if (line !== undefined) showFlagLine(namespaceKey, line)
    return line
  }
  /** Says why it was not done; where the answer was lost, that is looked up first. */
  const fail = async (
    flag: Flag,
    error: unknown,
    isDone: () => Promise<boolean>,
    then: () => Promise<void>,
  ) => {
    const { key, name } = flag
    const shown = name || key
    if (isUnsettled(error)) {
      if (await settle(shown, isDone)) await then()
      return
    }
    await readLine(key).catch(() => {})
    showToast(say(t.notSwitched(shown, messageOf(error))), { isFailure: true })
  }
  const stop = async (flag: Flag) => {
    const { key, name } = flag
    const finish = async (revision?: number) => {
      await readLine(key).catch(() => {})
      done(say(t.stopped(name || key, namespaceName)), {
        namespaceKey,
        revision,
        onUndone: () => void readLine(key),
      })
    }
    const isStopped = async () => {
      const { flag } = await api.documents.getFlag({ namespaceKey, key })
      return stopOf(flag) !== undefined
    }
    await stopFlag({ namespaceKey, key }).then(
      ({ revision }) => finish(revision),
      (error: unknown) => fail(flag, error, isStopped, finish),
    )
  }
  const readServesOn = async (key: string) =>
    servesOn((await api.documents.getFlag({ namespaceKey, key })).flag)
  /** Says what is so now, and what still gets On. */
  const finish = async (flag: Flag, enabled: boolean, revision?: number) => {
    const { key, name, type } = flag
    const isBoolean = type === 'BOOLEAN_FLAG_TYPE'
    const line = await readLine(key).catch(() => undefined)
    const shown = name || key
    const gives =
      isBoolean && !enabled && line?.summary?.rolloutCount !== 0
        ? await readServesOn(key).catch(() => true)
        : false
    const onShare = line?.summary?.onShare
    const switched = { isBoolean, enabled, servesOn: gives, share: onShare }
    const { text, isStillOn } = tellSwitched(shown, namespaceName, switched)
    // Where the namespace asks first, the page of the flag does.
    const offersStop = isStillOn && !confirm
    done(say(text), {
      namespaceKey,
      revision,
      onUndone: () => void readLine(key),
      ...(offersStop && { action: { label: t.stop, run: () => void stop(flag) } }),
    })
  }

  return async (flag, comment) => {
    const { key } = flag
    const enabled = !flag.enabled
    const isLatest = noteTurn({ namespaceKey, key })
    showFlagLine(namespaceKey, { key, enabled })
    const isSwitched = async () => {
      const { flag } = await api.documents.getFlag({ namespaceKey, key })
      showFlagLine(namespaceKey, { key, enabled: flag.enabled })
      return flag.enabled === enabled
    }
    await setEnabled({ namespaceKey, key }, enabled, { comment, isInPlace: true }).then(
      ({ revision }) => finish(flag, enabled, revision),
      (error: unknown) => {
        // What the list knew is shown until it is known what has become of it.
        showFlagLine(namespaceKey, { key, enabled: flag.enabled })
        return fail(flag, error, isSwitched, async () => {
          if (isLatest()) await finish(flag, enabled)
        })
      },
    )
  }
}
