import { type Flag, SvcError } from '@svc/client/api'
import { createElement } from 'react'
import { useDone } from '../../app/done.tsx'
import type { PageNamespace } from '../../app/namespace.ts'
import { showToast } from '../../components/toast.tsx'
import { afterSwitch } from '../../data/after-switch.ts'
import { api } from '../../data/api.ts'
import { messageOf } from '../../data/errors.ts'
import { servesOn, setEnabled, stopFlag } from '../../data/flag-writes.ts'
import { readFlagLine, showFlagLine } from '../../data/queries.ts'
import { Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
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
  const { share } = useFormat()
  const done = useDone()
  const say = (text: string) => createElement(Rich, { text })

  const readLine = async (key: string) => {
    const line = await readFlagLine(namespaceKey, key)
    if (line !== undefined) showFlagLine(namespaceKey, line)
    return line
  }
  const stop = async ({ key, name }: Flag) => {
    try {
      const { revision } = await stopFlag({ namespaceKey, key })
      await readLine(key)
      done(say(t.stopped(name || key, namespaceName)), {
        namespaceKey,
        revision,
        onUndone: () => void readLine(key),
      })
    } catch (error) {
      showToast(say(t.notSwitched(name || key, messageOf(error))), { isFailure: true })
    }
  }

  return async (flag, comment) => {
    const { key, name, type } = flag
    const enabled = !flag.enabled
    const isBoolean = type === 'BOOLEAN_FLAG_TYPE'
    showFlagLine(namespaceKey, { key, enabled })
    try {
      const { revision } = await setEnabled({ namespaceKey, key }, enabled, {
        comment,
        isInPlace: true,
      })
      const line = await readLine(key).catch(() => undefined)
      const shown = name || key
      const gives =
        isBoolean && !enabled && (line?.summary?.rolloutCount ?? 0) > 0
          ? servesOn((await api.documents.getFlag({ namespaceKey, key })).flag)
          : false
      const onShare = line?.summary?.onShare
      const said = afterSwitch({ isBoolean, enabled, servesOn: gives, share: onShare })
      const text = {
        on: t.isOn,
        off: t.isOff,
        enabled: t.isEnabled,
        disabled: t.isDisabled,
        elseOn: t.elseOn,
        stillOn: () => (onShare === undefined ? t.stillOn : t.stillOnFor(share(onShare))),
      }[said](shown, namespaceName)
      // Where the namespace asks first, the page of the flag does.
      const offersStop = said === 'stillOn' && !confirm
      done(say(text), {
        namespaceKey,
        revision,
        onUndone: () => void readLine(key),
        ...(offersStop && { action: { label: t.stop, run: () => void stop(flag) } }),
      })
    } catch (error) {
      // Whatever has become of it: what the service has is shown.
      showFlagLine(namespaceKey, { key, enabled: flag.enabled })
      if (error instanceof SvcError && error.status !== 0) await readLine(key).catch(() => {})
      showToast(say(t.notSwitched(name || key, messageOf(error))), { isFailure: true })
    }
  }
}
