import type { ConstraintDocument } from '@svc/client/api'
import { Field } from '../../components/field.tsx'
import { TextInput } from '../../components/text-input.tsx'
import { ValuesField } from '../../components/values-field.tsx'
import { fromInputTime, instantOf, toInputTime, writeList } from '../../constraints/edits.ts'
import {
  comparesCase,
  limits,
  needsProperty,
  readList,
  takesList,
} from '../../constraints/kinds.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { segmentTexts } from './texts.ts'

interface Props {
  readonly constraint: ConstraintDocument
  readonly error: string | undefined
  /** @param what two edits of the same are one step */
  readonly onEdit: (next: ConstraintDocument, what?: string) => void
  readonly onBlur: () => void
}

/** The value of a constraint, or its values, by its type. */
export function ValueField({ constraint, error, onEdit, onBlur }: Props) {
  const t = useTexts(segmentTexts)
  const { number, local, utc } = useFormat()
  const { type, property, operator, value } = constraint
  const isDate = type === 'DATETIME_COMPARISON_TYPE'
  const isList = takesList(operator)
  const elements = isList ? (readList(value) ?? []) : []
  const at = isDate ? instantOf(value) : undefined
  const help = [
    isList && elements.length > 0 && t.valueCount(number(elements.length), number(limits.elements)),
    isList && value === '[]' && t.noValues,
    comparesCase(constraint) && t.withCase,
    isDate && t.isUtc,
    at !== undefined && local(at) !== utc(at) && `${t.inYourTime(local(at))}.`,
    needsProperty(constraint) && property !== '' && t.needsProperty(property),
  ].filter((text) => typeof text === 'string')
  const set = (value: string) => onEdit({ ...constraint, value }, 'value')
  return (
    <Field
      label={isList ? t.values : t.value}
      isLabelHidden
      error={error}
      help={help.length === 0 ? undefined : help.join(' ')}
    >
      {(ids) =>
        isList ? (
          <ValuesField
            ids={ids}
            values={elements}
            placeholder={t.addOrPaste}
            onChange={(next) =>
              // Each value is a step of its own.
              onEdit({ ...constraint, value: next.length === 0 ? '' : writeList(type, next) })
            }
          />
        ) : isDate ? (
          <TextInput
            {...ids}
            type="datetime-local"
            step={1}
            value={toInputTime(value) ?? ''}
            end={<span className="text-12 text-muted">UTC</span>}
            onBlur={onBlur}
            onChange={({ target }) => set(fromInputTime(target.value))}
          />
        ) : (
          <TextInput
            {...ids}
            isMono
            value={value}
            inputMode={type === 'NUMBER_COMPARISON_TYPE' ? 'decimal' : 'text'}
            autoComplete="off"
            spellCheck={false}
            autoCapitalize="off"
            onBlur={onBlur}
            onChange={({ target }) => set(target.value)}
          />
        )
      }
    </Field>
  )
}
