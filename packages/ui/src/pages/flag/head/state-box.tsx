import { Bar } from '../../../components/bar.tsx'
import { Dial } from '../../../components/dial.tsx'
import { hueOf } from '../../../components/hue.ts'
import { Switch } from '../../../components/switch.tsx'
import { Time } from '../../../components/time.tsx'
import { stateOf } from '../../../review/state.ts'
import { describeState } from '../../../review/state-sentences.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { isBoolean } from '../targeting/steps.ts'
import { flagTexts } from '../texts.ts'
import type { FlagWrites } from './writes.ts'

interface Props {
  readonly writes: FlagWrites
  /** Asks first where that is wanted. */
  readonly onTurn: (enabled: boolean) => void
}

/** What people get, in a sentence, and the switch. */
export function StateBox({ writes: { shown }, onTurn }: Props) {
  const t = useTexts(flagTexts)
  const format = useFormat()
  const { name, segments, stored, readOnlyReason } = useFlag()
  const state = stateOf(shown, segments.isForEveryone)
  const { title, more } = describeState(state, t, format)
  const { enabled, variants } = shown
  const effect = isBoolean(shown)
    ? enabled
      ? t.switchOn
      : t.switchOff
    : enabled
      ? t.switchEnabled
      : t.switchDisabled
  const everyone = state.kind === 'disabled' ? state.gets : undefined
  return (
    <div className="flex min-h-11.5 items-center gap-3 rounded-3 border border-line-strong bg-raised py-1.5 ps-3.5 pe-3 text-13">
      {state.kind === 'boolean' && <Dial share={state.share} />}
      {state.kind === 'stopped' && <Dial share={0} />}
      <div className="min-w-0">
        <b className={state.kind === 'stopped' ? 'text-danger' : 'block'}>{title}</b>
        <span className="block text-12 text-muted">
          {more ?? (
            <>
              {t.changed} <Time at={stored.updatedAt} />
            </>
          )}
        </span>
        {everyone !== undefined && (
          <Bar
            className="mt-1"
            shares={[
              {
                name: everyone,
                hue: hueOf(variants.findIndex(({ key }) => key === everyone)),
                percentage: 100,
              },
            ]}
          />
        )}
      </div>
      <Switch
        isLarge
        isOn={enabled}
        name={effect(name)}
        onChange={onTurn}
        disabledReason={readOnlyReason}
      />
    </div>
  )
}
