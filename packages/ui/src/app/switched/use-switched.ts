import { useFormat, useTexts } from '../../text/texts.ts'
import { afterSwitch, type Switched } from './after-switch.ts'
import { switchedTexts } from './texts.ts'

interface Said {
  /** For `<Rich>`. */
  readonly text: string
  /** Whether rollouts still give On, though the flag was turned off. */
  readonly isStillOn: boolean
}

/** @returns what says what a flag is after its switch was turned */
export function useSwitched(): (name: string, namespaceName: string, switched: Switched) => Said {
  const t = useTexts(switchedTexts)
  const { share } = useFormat()
  return (name, namespaceName, switched) => {
    const said = afterSwitch(switched)
    if (said !== 'stillOn') return { text: t[said](name, namespaceName), isStillOn: false }
    const { share: part } = switched
    return { text: part === undefined ? t.stillOn : t.stillOnFor(share(part)), isStillOn: true }
  }
}
