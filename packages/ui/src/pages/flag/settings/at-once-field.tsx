import { useState } from 'react'
import { Field } from '../../../components/field.tsx'
import { TextArea, TextInput } from '../../../components/text-input.tsx'

interface Props {
  readonly label: string
  /** As the service has it. */
  readonly value: string
  readonly isLong?: boolean
  readonly isReadOnly: boolean
  /** What is wrong with a text, before it is sent. */
  readonly check: (text: string) => string | undefined
  /** @returns why it was refused */
  readonly onSave: (text: string) => Promise<string | undefined>
}

/** A text that is saved when its field is left, or by Enter; Escape takes it back. */
export function AtOnceField({ label, value, isLong = false, isReadOnly, check, onSave }: Props) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  const [refused, setRefused] = useState<string>()
  if (known !== value) {
    setKnown(value)
    // What is typed just now stays.
    if (typed === known) setTyped(value)
  }
  const text = typed.trim()
  const save = async () => {
    if (text === value || check(text) !== undefined || isReadOnly) return
    setRefused(await onSave(text))
  }
  const shared = {
    value: typed,
    readOnly: isReadOnly,
    onBlur: () => void save(),
  }
  const change = (text: string) => {
    setTyped(text)
    setRefused(undefined)
  }
  const takeBack = () => change(value)
  return (
    <Field
      label={label}
      isReadOnly={isReadOnly}
      error={text === value ? undefined : (check(text) ?? refused)}
    >
      {(ids) =>
        isLong ? (
          <TextArea
            {...ids}
            {...shared}
            onChange={({ target }) => change(target.value)}
            onKeyDown={({ key }) => key === 'Escape' && takeBack()}
          />
        ) : (
          <TextInput
            {...ids}
            {...shared}
            autoComplete="off"
            onChange={({ target }) => change(target.value)}
            onKeyDown={({ key }) => {
              if (key === 'Escape') takeBack()
              if (key === 'Enter') void save()
            }}
          />
        )
      }
    </Field>
  )
}
