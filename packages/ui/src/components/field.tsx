import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Icon } from './icon.tsx'

/** What ties an input to its label, help and error. */
export interface FieldIds {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

interface Props {
  readonly label: string
  readonly help?: ReactNode
  readonly error?: string | undefined
  /** A word after the label, such as `optional`. */
  readonly mark?: string
  readonly children: (ids: FieldIds) => ReactNode
}

/** A label above, help below, and the error in its place. */
export function Field({ label, help, error, mark, children }: Props) {
  const id = useId()
  const isWrong = error !== undefined && error !== ''
  const described = isWrong ? `${id}-error` : help === undefined ? undefined : `${id}-help`
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {mark !== undefined && <span className="opt">({mark})</span>}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': isWrong || undefined })}
      {isWrong ? (
        <span className="error" id={`${id}-error`}>
          <Icon of={TriangleAlert} small />
          {error}
        </span>
      ) : (
        help !== undefined && (
          <span className="help" id={`${id}-help`}>
            {help}
          </span>
        )
      )}
    </div>
  )
}
