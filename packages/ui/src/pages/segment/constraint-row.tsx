import type { ConstraintDocument } from '@svc/client/api'
import clsx from 'clsx'
import { TriangleAlert, Undo2, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Badge } from '../../components/chip.tsx'
import { Icon } from '../../components/icon.tsx'
import { instantOf } from '../../constraints/edits.ts'
import { needsProperty } from '../../constraints/kinds.ts'
import { problemOf } from '../../constraints/problems.ts'
import { kindWord, plain, sentenceOf } from '../../constraints/sentence.ts'
import { constraintTexts } from '../../constraints/texts.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { ConstraintForm } from './constraint-form.tsx'
import { problemText } from './problem-text.ts'
import type { KnownProperty, RowState } from './rows.ts'
import { segmentTexts } from './texts.ts'

interface Props {
  readonly constraint: ConstraintDocument
  readonly state: Exclude<RowState, 'removed'>
  /** From 1. */
  readonly place: string
  /** The word before it. */
  readonly join: string
  readonly isOpen: boolean
  readonly isAttempted: boolean
  readonly properties: readonly KnownProperty[]
  readonly listId: string
  readonly onOpen: () => void
  readonly onClose: () => void
  /** @param what two edits of the same are one step */
  readonly onEdit: (next: ConstraintDocument, what?: string) => void
  readonly onRemove: () => void
}

/** One constraint: a sentence, and when it is open the fields that it is made of. */
export function ConstraintRow({
  constraint,
  state,
  place,
  join,
  isOpen,
  isAttempted,
  properties,
  listId,
  onOpen,
  onClose,
  onEdit,
  onRemove,
}: Props) {
  const t = useTexts(segmentTexts)
  const name = t.constraint(place)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in columns in every browser
    <div
      role="group"
      aria-label={name}
      className={clsx(
        'grid grid-cols-[2.5rem_minmax(0,1fr)_auto] items-start gap-x-1 border-b border-line py-1.5 ps-4 pe-3 narrow:grid-cols-[minmax(0,1fr)_auto]',
        state === 'edited' && 'shadow-[inset_2px_0_0_var(--draft-mark)]',
        state === 'added' && 'outline-1 -outline-offset-2 outline-draft-mark outline-dashed',
        isOpen ? 'bg-sunken first:rounded-t-3' : 'first:rounded-t-3',
      )}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen || event.defaultPrevented) return
        event.preventDefault()
        onClose()
      }}
    >
      <span className="pt-1.5 text-13 text-muted narrow:col-span-2 narrow:pt-0 narrow:empty:hidden">
        {join}
      </span>
      {isOpen ? (
        <ConstraintForm
          constraint={constraint}
          isAttempted={isAttempted}
          properties={properties}
          listId={listId}
          onEdit={onEdit}
          onClose={onClose}
        />
      ) : (
        <Line constraint={constraint} state={state} onOpen={onOpen} />
      )}
      <Button look="quiet" isIcon aria-label={t.remove(place)} onClick={onRemove}>
        <Icon of={X} />
      </Button>
    </div>
  )
}

function Line({
  constraint,
  state,
  onOpen,
}: {
  readonly constraint: ConstraintDocument
  readonly state: RowState
  readonly onOpen: () => void
}) {
  const t = useTexts(segmentTexts)
  const words = useTexts(constraintTexts)
  const format = useFormat()
  const { type, property, description, value } = constraint
  const sentence = sentenceOf(constraint, words, format)
  const problem = problemOf(constraint)
  const at = type === 'DATETIME_COMPARISON_TYPE' ? instantOf(value) : undefined
  return (
    <button
      type="button"
      aria-expanded="false"
      data-constraint-line={constraint.id}
      className="grid min-h-8 min-w-0 gap-0.5 rounded-2 px-1.5 py-1 text-start text-13 hover:bg-hover touch:min-h-11 narrow:-ms-1.5"
      onClick={onOpen}
    >
      <span className="flex min-w-0 flex-wrap items-center gap-x-1.5 gap-y-1">
        <span
          className={clsx(
            'wrap-anywhere',
            type === 'ENTITY_ID_COMPARISON_TYPE' ? 'font-medium' : 'font-mono text-12',
          )}
        >
          {sentence.property || '…'}
        </span>
        <span className="text-muted">{sentence.operator}</span>
        {sentence.value !== undefined && sentence.value !== '' && (
          <span className="max-w-full rounded-1 border border-line-strong bg-raised px-1.5 font-mono text-12 leading-5 wrap-anywhere">
            <span className="line-clamp-2">{sentence.value}</span>
          </span>
        )}
        {at !== undefined && format.local(at) !== format.utc(at) && (
          <span className="text-12 text-faint">{t.inYourTime(format.local(at))}</span>
        )}
        {needsProperty(constraint) && property !== '' && (
          <span className="text-12 text-faint">{t.needsProperty(property)}</span>
        )}
        {state === 'added' && <Badge look="draft">{t.added}</Badge>}
        {state === 'edited' && <Badge look="draft">{t.edited}</Badge>}
        <span className="ms-auto text-12 text-faint narrow:hidden">{kindWord(type, words)}</span>
      </span>
      {description !== '' && (
        <span className="text-12 wrap-anywhere text-muted">{description}</span>
      )}
      {problem !== undefined && (
        <span className="flex items-center gap-1.5 text-12 text-danger">
          <Icon of={TriangleAlert} small />
          {problemText(problem, t, format)}
        </span>
      )}
    </button>
  )
}

/** A constraint that the draft takes away. */
export function GhostRow({
  constraint,
  onRestore,
}: {
  readonly constraint: ConstraintDocument
  readonly onRestore: () => void
}) {
  const t = useTexts(segmentTexts)
  const words = useTexts(constraintTexts)
  const format = useFormat()
  return (
    <div className="flex items-center gap-3 border-b border-line bg-del-soft py-1.5 ps-16 pe-3 text-13 first:rounded-t-3 narrow:ps-4">
      <del className="min-w-0 flex-1 bg-transparent wrap-anywhere text-muted">
        {plain(sentenceOf(constraint, words, format))}
      </del>
      <Badge look="danger">{t.removed}</Badge>
      <Button size="small" onClick={onRestore}>
        <Icon of={Undo2} small />
        {t.restore}
      </Button>
    </div>
  )
}
