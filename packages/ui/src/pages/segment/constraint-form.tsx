import type { ConstraintDocument } from '@svc/client/api'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Select } from '../../components/select.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { componentTexts } from '../../components/texts.ts'
import { withOperator, withType } from '../../constraints/edits.ts'
import { isKind, kinds, operatorsOf, takesValue } from '../../constraints/kinds.ts'
import { type Problem, problemOf } from '../../constraints/problems.ts'
import { operatorWord } from '../../constraints/sentence.ts'
import { constraintTexts } from '../../constraints/texts.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { problemText } from './problem-text.ts'
import type { KnownProperty } from './rows.ts'
import { segmentTexts } from './texts.ts'
import { ValueField } from './value-field.tsx'

interface Props {
  readonly constraint: ConstraintDocument
  readonly isAttempted: boolean
  readonly properties: readonly KnownProperty[]
  /** Of the list of the properties. */
  readonly listId: string
  /** @param what two edits of the same are one step */
  readonly onEdit: (next: ConstraintDocument, what?: string) => void
  readonly onClose: () => void
}

/** The fields of a constraint, as many as its type and operator have. */
export function ConstraintForm({
  constraint,
  isAttempted,
  properties,
  listId,
  onEdit,
  onClose,
}: Props) {
  const t = useTexts(segmentTexts)
  const c = useTexts(componentTexts)
  const words = useTexts(constraintTexts)
  const format = useFormat()
  const [touched, setTouched] = useState<ReadonlySet<Problem['field']>>(new Set())
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The line that was opened had the focus, and is gone.
    const { current } = form
    if (current?.contains(document.activeElement) === false)
      current.querySelector<HTMLElement>('button, input')?.focus()
  }, [])
  const { type, property, operator, description } = constraint
  const isEntity = type === 'ENTITY_ID_COMPARISON_TYPE'
  const operators = isKind(type) ? operatorsOf[type] : []
  const problem = problemOf(constraint)
  const errorOf = (field: Problem['field']) =>
    problem?.field === field && (isAttempted || touched.has(field) || problem.kind !== 'missing')
      ? problemText(problem, t, format)
      : undefined
  const touch = (field: Problem['field']) => () => setTouched(new Set([...touched, field]))
  return (
    <div ref={form} className="grid min-w-0 gap-3 py-1">
      <div className="grid grid-cols-[9rem_minmax(0,1fr)_11rem] gap-2 narrow:grid-cols-1">
        <Select
          name={t.type}
          isBlock
          value={type}
          choices={kinds.map((kind) => ({ value: kind, text: words.kinds[kind] }))}
          onChange={(next) => isKind(next) && onEdit(withType(constraint, next))}
        />
        {isEntity ? (
          <span className="flex h-control items-center px-1.5 text-13 text-muted">
            {t.isEntity}
          </span>
        ) : (
          <Field label={t.property} isLabelHidden error={errorOf('property')}>
            {(ids) => (
              <TextInput
                {...ids}
                isMono
                list={listId}
                value={property}
                placeholder={t.propertyHint}
                autoComplete="off"
                spellCheck={false}
                autoCapitalize="off"
                autoFocus={property === ''}
                onBlur={touch('property')}
                onChange={({ target }) => {
                  const next = { ...constraint, property: target.value }
                  // A property that was chosen from the list brings its type while nothing else is said.
                  const known = properties.find(({ name }) => name === target.value)
                  const isFresh = constraint.value === '' && operator === 'eq'
                  onEdit(
                    known !== undefined && isFresh ? withType(next, known.type) : next,
                    'property',
                  )
                }}
              />
            )}
          </Field>
        )}
        <Field label={t.operator} isLabelHidden error={errorOf('operator')}>
          {(ids) => (
            <Select
              ids={ids}
              isBlock
              value={operator}
              placeholder={operator}
              choices={operators.map((one) => ({
                value: one,
                text: operatorWord({ ...constraint, operator: one }, words),
              }))}
              onChange={(next) => {
                const found = operators.find((one) => one === next)
                if (found !== undefined) onEdit(withOperator(constraint, found))
              }}
            />
          )}
        </Field>
      </div>
      {takesValue(operator) && (
        <ValueField
          constraint={constraint}
          error={errorOf('value')}
          onEdit={onEdit}
          onBlur={touch('value')}
        />
      )}
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-48 flex-1">
          <Field label={t.description} mark={c.optional} error={errorOf('description')}>
            {(ids) => (
              <TextInput
                {...ids}
                value={description}
                placeholder={t.descriptionHint}
                autoComplete="off"
                onChange={({ target }) =>
                  onEdit({ ...constraint, description: target.value }, 'description')
                }
              />
            )}
          </Field>
        </div>
        <Button onClick={onClose}>{t.done}</Button>
      </div>
    </div>
  )
}
