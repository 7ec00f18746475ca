import type { ConstraintDocument, SegmentDocument } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useId, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { link } from '../../components/classes.ts'
import { Icon } from '../../components/icon.tsx'
import { Note } from '../../components/note.tsx'
import { Segmented } from '../../components/tabs.tsx'
import { segmentsQuery } from '../../data/queries.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { ConstraintRow, GhostRow } from './constraint-row.tsx'
import { type KnownProperty, newId, propertiesOf, restore, rowsOf } from './rows.ts'
import { segmentTexts } from './texts.ts'

/** Properties that are offered below the list. */
const maxOffered = 4

interface Props {
  readonly namespaceKey: string
  readonly base: SegmentDocument
  readonly present: SegmentDocument
  /** The constraint that is open. */
  readonly openId: string | undefined
  /** Whether it was tried to save what is wrong. */
  readonly isAttempted: boolean
  readonly onOpen: (id: string | undefined) => void
  /** @param what two edits of the same are one step */
  readonly onEdit: (next: Partial<SegmentDocument>, what?: string) => void
}

/** Who is in a segment, as a sentence that is built. */
export function ConstraintList({
  namespaceKey,
  base,
  present,
  openId,
  isAttempted,
  onOpen,
  onEdit,
}: Props) {
  const t = useTexts(segmentTexts)
  const { number } = useFormat()
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const { data } = useQuery(segmentsQuery(namespaceKey))
  const { constraints, matchType } = present
  const isAll = matchType === 'ALL_MATCH_TYPE'
  const rows = rowsOf(base.constraints, constraints)
  const properties = propertiesOf(data?.segments ?? [])
  const offered = properties
    .filter(({ name }) => !constraints.some(({ property }) => property === name))
    .slice(0, maxOffered)

  const add = (known?: KnownProperty) => {
    const type = known?.type ?? 'STRING_COMPARISON_TYPE'
    const added: ConstraintDocument = {
      id: newId(),
      type,
      property: known?.name ?? '',
      operator: type === 'BOOLEAN_COMPARISON_TYPE' ? 'true' : 'eq',
      value: '',
      description: '',
    }
    onEdit({ constraints: [...constraints, added] })
    onOpen(added.id)
  }
  /** After a constraint is gone the next one has the focus, or the button that adds one. */
  const focusAfter = (place: number) => {
    requestAnimationFrame(() => {
      const lines = list.current?.querySelectorAll<HTMLElement>('[data-constraint-line]')
      const next = lines?.[Math.min(place, lines.length - 1)]
      const adding = list.current?.querySelector<HTMLElement>('[data-add-constraint]')
      ;(next ?? adding)?.focus()
    })
  }
  const focusOn = (id: string) => {
    requestAnimationFrame(() =>
      list.current
        ?.querySelector<HTMLElement>(`[data-constraint-line="${CSS.escape(id)}"]`)
        ?.focus(),
    )
  }
  const close = (id: string) => {
    onOpen(undefined)
    focusOn(id)
  }
  let count = 0
  return (
    <div ref={list} className="grid gap-4">
      <div className="flex flex-wrap items-center gap-2 text-13 text-muted">
        {t.inItWhen}
        <Segmented
          label={t.matchType}
          value={isAll ? 'all' : 'any'}
          choices={[
            ['all', t.all],
            ['any', t.any],
          ]}
          onChange={(match) =>
            onEdit({ matchType: match === 'any' ? 'ANY_MATCH_TYPE' : 'ALL_MATCH_TYPE' })
          }
        />
        {t.ofThese}
      </div>
      {constraints.length === 0 && <Note kind="attention">{t.everyone}</Note>}
      <div className="rounded-3 border border-line bg-raised">
        {rows.map(({ constraint, state }) => {
          if (state === 'removed') {
            return (
              <GhostRow
                key={constraint.id}
                constraint={constraint}
                onRestore={() => {
                  onEdit({ constraints: restore(base.constraints, constraints, constraint.id) })
                  focusOn(constraint.id)
                }}
              />
            )
          }
          const place = count++
          return (
            <ConstraintRow
              key={constraint.id}
              constraint={constraint}
              state={state}
              place={number(place + 1)}
              join={place === 0 ? '' : isAll ? t.and : t.or}
              isOpen={constraint.id === openId}
              isAttempted={isAttempted}
              properties={properties}
              listId={listId}
              onOpen={() => onOpen(constraint.id)}
              onClose={() => close(constraint.id)}
              onEdit={(next, what) =>
                onEdit(
                  { constraints: constraints.map((one) => (one.id === next.id ? next : one)) },
                  what === undefined ? undefined : `${next.id} ${what}`,
                )
              }
              onRemove={() => {
                onEdit({ constraints: constraints.filter(({ id }) => id !== constraint.id) })
                focusAfter(place)
              }}
            />
          )
        })}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
          <Button data-add-constraint="" onClick={() => add()}>
            <Icon of={Plus} />
            {t.addConstraint}
          </Button>
          {offered.length > 0 && (
            <span className="flex flex-wrap items-center gap-x-2 text-12 text-muted">
              {t.usedElsewhere}
              {offered.map((known) => (
                <button
                  key={known.name}
                  type="button"
                  className={`${link} min-h-6 max-w-40 truncate font-mono`}
                  onClick={() => add(known)}
                >
                  {known.name}
                </button>
              ))}
            </span>
          )}
        </div>
      </div>
      <datalist id={listId}>
        {properties.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  )
}
