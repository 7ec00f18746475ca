import { Lock, TriangleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { hidden } from './classes.ts'
import { Icon } from './icon.tsx'

/** What ties an input to its label, help and error. */
export interface FieldIds {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

interface Props {
  readonly label: string
  /** Whether the label is only for screen readers, because what is around the field says it. */
  readonly isLabelHidden?: boolean
  readonly help?: ReactNode
  readonly error?: string | undefined
  /** A word after the label, such as `optional`. */
  readonly mark?: string
  readonly isReadOnly?: boolean
  /** At the end of the line of the label, such as a counter. */
  readonly end?: ReactNode
  readonly children: (ids: FieldIds) => ReactNode
}

/** A label above, help below, and the error in its place. */
export function Field({
  label,
  isLabelHidden = false,
  help,
  error,
  mark,
  isReadOnly = false,
  end,
  children,
}: Props) {
  const id = useId()
  const isWrong = error !== undefined && error !== ''
  const described = isWrong ? `${id}-error` : help === undefined ? undefined : `${id}-help`
  return (
    <div className="grid min-w-0 content-start gap-1.5">
      <span className={isLabelHidden ? hidden : 'flex items-center gap-1.5 text-13'}>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {mark !== undefined && <span className="text-faint">({mark})</span>}
        {isReadOnly && <Icon of={Lock} small className="text-faint" />}
        {end !== undefined && <span className="ms-auto text-12 text-faint">{end}</span>}
      </span>
      {children({ id, 'aria-describedby': described, 'aria-invalid': isWrong || undefined })}
      {isWrong ? (
        <span className="flex gap-1.5 text-12 text-danger" id={`${id}-error`}>
          <Icon of={TriangleAlert} small className="mt-0.5" />
          <span>{error}</span>
        </span>
      ) : (
        help !== undefined && (
          <span className="text-12 text-pretty text-muted" id={`${id}-help`}>
            {help}
          </span>
        )
      )}
    </div>
  )
}
