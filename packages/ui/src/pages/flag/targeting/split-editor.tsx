import type { RuleDocument } from '@svc/client/api'
import { Check, Plus, TriangleAlert, X } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../../../components/button.tsx'
import { HueDot, VariantKey } from '../../../components/chip.tsx'
import { Combobox } from '../../../components/combobox.tsx'
import { hueOf, type Share } from '../../../components/hue.ts'
import { Icon } from '../../../components/icon.tsx'
import { Ruler } from '../../../components/ruler.tsx'
import { useFormat, useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import type { Edits } from './edits.ts'
import { ShareField } from './share-field.tsx'
import {
  addShare,
  defaultOf,
  gapOf,
  giveRest,
  rangesOf,
  removeShare,
  setShare,
  shareDecimals,
  splitEvenly,
} from './split.ts'
import { targetingTexts } from './texts.ts'

interface Props {
  readonly rule: RuleDocument
  /** What it is called, such as `rule 1`. */
  readonly name: string
  readonly edits: Edits
}

/** Who of a rule gets which variant: the ruler, a row for each, and the total. */
export function SplitEditor({ rule: { id, distributions }, name, edits: { edit, end } }: Props) {
  const t = useTexts(targetingTexts)
  const format = useFormat()
  const totalId = useId()
  const { draft, readOnlyReason } = useFlag()
  const { variants } = draft.draft.present
  const hue = (key: string) => hueOf(variants.findIndex((variant) => variant.key === key))
  const gap = gapOf(distributions)
  const other = defaultOf(draft.draft.present)
  const ranges = rangesOf(distributions)
  const shares: readonly Share[] = distributions.map(({ variant }, place) => {
    const [from = 0, to = 0] = ranges[place] ?? []
    return { name: variant, hue: hue(variant), percentage: to - from }
  })
  const missing = variants.filter(({ key }) => !distributions.some((one) => one.variant === key))
  const said = distributions.map(
    ({ variant, rollout }) => `${variant} ${format.exactShare(rollout)}`,
  )
  return (
    <div className="px-4 pt-1 pb-3">
      <Ruler shares={shares} rest={other ?? t.codeDefault} sentence={format.list(said)} />
      <ul className="mt-1.5 grid gap-1">
        {distributions.map(({ id: shareId, variant, rollout }, place) => {
          const isKnown = variants.some(({ key }) => key === variant)
          const [from = 0, to = 0] = ranges[place] ?? []
          return (
            <li
              key={shareId}
              className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-3 md:grid-cols-[minmax(6rem,11rem)_auto_minmax(0,1fr)_auto]"
            >
              {isKnown ? (
                <VariantKey name={variant} hue={hue(variant)} />
              ) : (
                <span className="text-13 text-draft">{t.noVariant(variant)}</span>
              )}
              <ShareField
                value={rollout}
                name={t.shareOf(variant)}
                isWrong={gap < 0}
                decimals={shareDecimals}
                describedBy={totalId}
                onChange={(value) =>
                  edit((flag) => setShare(flag, id, variant, value), `%${shareId}`)
                }
                onDone={end}
              />
              <span className="text-12 text-muted max-md:hidden">
                {t.buckets(format.number(from), format.number(to))}
              </span>
              <Button
                look="quiet"
                size="small"
                isIcon
                aria-label={t.removeVariant(variant, name)}
                disabledReason={readOnlyReason}
                onClick={({ currentTarget }) => {
                  const row = currentTarget.closest('li')
                  const next = row?.nextElementSibling ?? row?.previousElementSibling
                  next?.querySelector('button')?.focus()
                  edit((flag) => removeShare(flag, id, variant))
                }}
              >
                <Icon of={X} small />
              </Button>
            </li>
          )
        })}
      </ul>
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2">
        <div id={totalId} role="status" className="min-w-48 flex-1 text-12">
          <Total gap={gap} other={other} isEmpty={distributions.length === 0} />
        </div>
        <span className="flex flex-wrap items-center gap-1">
          {gap > 0 && other !== undefined && (
            <Button
              size="small"
              disabledReason={readOnlyReason}
              onClick={() => edit((flag) => giveRest(flag, id, other))}
            >
              {t.giveTo(other)}
            </Button>
          )}
          {distributions.length > 1 && (
            <Button
              look="quiet"
              size="small"
              disabledReason={readOnlyReason}
              onClick={() => edit((flag) => splitEvenly(flag, id))}
            >
              {t.evenly}
            </Button>
          )}
          {missing.length > 0 && (
            <Combobox
              label={t.addVariant}
              value={undefined}
              items={missing.map(({ key, name }) => ({
                value: key,
                text: key,
                ...(name !== '' && name !== key && { detail: name }),
                mark: <HueDot hue={hue(key)} />,
              }))}
              onChange={(variant) => edit((flag) => addShare(flag, id, variant))}
              trigger={
                <Button size="small" disabledReason={readOnlyReason}>
                  <Icon of={Plus} small />
                  {t.addVariant}
                </Button>
              }
            />
          )}
        </span>
      </div>
    </div>
  )
}

interface TotalProps {
  readonly gap: number
  readonly other: string | undefined
  readonly isEmpty: boolean
}

/** The sum of the shares, and who gets what where it is not 100. */
function Total({ gap, other, isEmpty }: TotalProps) {
  const t = useTexts(targetingTexts)
  const { exactShare: share } = useFormat()
  const total = t.total(share(100 - gap))
  if (gap === 0) {
    return (
      <span className="flex items-center gap-1">
        <Icon of={Check} small className="text-on" />
        {total}
      </span>
    )
  }
  const isOver = gap < 0
  const rest = isEmpty
    ? other === undefined
      ? t.gapAllCode
      : t.gapAll(other)
    : other === undefined
      ? t.gapCode(share(gap))
      : t.gap(share(gap), other)
  return (
    <span className="flex items-start gap-1.5">
      <Icon
        of={TriangleAlert}
        small
        className={isOver ? 'mt-0.5 flex-none text-danger' : 'mt-0.5 flex-none text-draft'}
      />
      <span>
        <span className={isOver ? 'font-medium text-danger' : 'font-medium text-draft'}>
          {total}
        </span>{' '}
        <span className="text-muted">{isOver ? t.over(share(-gap)) : rest}</span>
      </span>
    </span>
  )
}
