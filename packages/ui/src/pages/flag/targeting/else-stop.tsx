import clsx from 'clsx'
import { ArrowDown } from 'lucide-react'
import { Badge, HueDot } from '../../../components/chip.tsx'
import { hueOf } from '../../../components/hue.ts'
import { Icon } from '../../../components/icon.tsx'
import { RuleCard, Stop } from '../../../components/rail.tsx'
import { Select } from '../../../components/select.tsx'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { isElseChanged } from './changes.ts'
import type { Edits } from './edits.ts'
import { OnOff, ServeArrow } from './serves.tsx'
import { defaultOf, setDefault } from './split.ts'
import { isBoolean, setEnabled, stepsOf } from './steps.ts'
import { targetingTexts } from './texts.ts'

interface Props {
  readonly edits: Edits
  /** What is on its way to the service, of a switch that was turned a moment ago. */
  readonly isWaiting: boolean
}

/** What those get whom no step answers: the last stop, which never moves. */
export function ElseStop({ edits: { edit }, isWaiting }: Props) {
  const t = useTexts(targetingTexts)
  const { draft, glowing } = useFlag()
  const { base, present } = draft.draft
  const isEdited = isElseChanged(base, present)
  const before = isBoolean(base)
    ? base.enabled
      ? t.on
      : t.off
    : (defaultOf(base) ?? t.codeDefault)
  return (
    <Stop node={<Icon of={ArrowDown} small />} path={isWaiting ? 'unreached' : undefined}>
      <RuleCard
        look={isEdited ? 'edited' : 'end'}
        className={clsx('text-text', glowing.has('else') && 'glow')}
      >
        <div className="flex min-h-11.5 flex-wrap items-center gap-x-2 gap-y-1.5 py-2 ps-4 pe-3 md:pe-23">
          <b className="flex-1 text-13">{stepsOf(present).length === 0 ? t.everyone : t.else}</b>
          {isEdited && <del className="text-12 text-danger">{before}</del>}
          {isEdited && <span className="sr-only">{t.new}</span>}
          {isWaiting && <Badge>{t.waits}</Badge>}
          <ServeArrow />
          {isBoolean(present) ? (
            <OnOff
              isOn={present.enabled}
              name={t.elseServes}
              onChange={(isOn) => edit((flag) => setEnabled(flag, isOn))}
            />
          ) : (
            <Select
              isSmall
              minWidth="min-w-24"
              name={t.elseServes}
              value={defaultOf(present) ?? ''}
              choices={[
                ...present.variants.map(({ key }, place) => ({
                  value: key,
                  text: key,
                  mark: <HueDot hue={hueOf(place)} />,
                })),
                { value: '', text: t.codeDefault, mark: <HueDot hue="none" /> },
              ]}
              onChange={(key) => edit((flag) => setDefault(flag, key === '' ? undefined : key))}
            />
          )}
        </div>
      </RuleCard>
    </Stop>
  )
}
