import type { RolloutDocument, RuleDocument } from '@svc/client/api'
import { ArrowRight } from 'lucide-react'
import { HueDot } from '../../../components/chip.tsx'
import { Dial } from '../../../components/dial.tsx'
import { hueOf } from '../../../components/hue.ts'
import { Icon } from '../../../components/icon.tsx'
import { Select } from '../../../components/select.tsx'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import type { Edits } from './edits.ts'
import { givesOn, setValue } from './rollouts.ts'
import { onlyVariantOf, serveVariant, toSplit } from './split.ts'
import { targetingTexts } from './texts.ts'

/** Before what is served. */
export function ServeArrow() {
  const t = useTexts(targetingTexts)
  return (
    <>
      <Icon of={ArrowRight} small className="flex-none text-muted" />
      <span className="sr-only">{t.serve}</span>
    </>
  )
}

interface OnOffProps {
  readonly isOn: boolean
  readonly name: string
  readonly onChange: (isOn: boolean) => void
}

export function OnOff({ isOn, name, onChange }: OnOffProps) {
  const t = useTexts(targetingTexts)
  return (
    <Select
      isSmall
      minWidth="min-w-20"
      name={name}
      value={isOn ? 'on' : 'off'}
      choices={[
        { value: 'on', text: t.on, mark: <Dial share={100} /> },
        { value: 'off', text: t.off, mark: <Dial share={0} /> },
      ]}
      onChange={(value) => onChange(value === 'on')}
    />
  )
}

interface StepProps<S> {
  readonly step: S
  /** What the step is called, such as `rollout 1`. */
  readonly name: string
  readonly edits: Edits
}

export function RolloutServes({ step, name, edits: { edit } }: StepProps<RolloutDocument>) {
  const t = useTexts(targetingTexts)
  return (
    <OnOff
      isOn={givesOn(step)}
      name={t.servesIn(name)}
      onChange={(isOn) => edit((flag) => setValue(flag, step.id, isOn))}
    />
  )
}

/** Before the key of a variant, so that none is taken for the split. */
const variantPrefix = 'variant '

export function RuleServes({ step, name, edits: { edit } }: StepProps<RuleDocument>) {
  const t = useTexts(targetingTexts)
  const { draft } = useFlag()
  const { variants } = draft.draft.present
  const only = onlyVariantOf(step)
  return (
    <Select
      isSmall
      minWidth="min-w-24"
      name={t.servesIn(name)}
      value={only === undefined ? 'split' : variantPrefix + only}
      choices={[
        ...variants.map(({ key }, place) => ({
          value: variantPrefix + key,
          text: key,
          mark: <HueDot hue={hueOf(place)} />,
        })),
        { value: 'split', text: t.aSplit },
      ]}
      onChange={(value) =>
        edit((flag) =>
          value === 'split'
            ? toSplit(flag, step.id)
            : serveVariant(flag, step.id, value.slice(variantPrefix.length)),
        )
      }
    />
  )
}
