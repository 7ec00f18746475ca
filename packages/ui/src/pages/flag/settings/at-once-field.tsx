import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Field } from '../../../components/field.tsx'
import { TextArea, TextInput } from '../../../components/text-input.tsx'
import { useTexts } from '../../../text/texts.ts'
import { flagTexts } from '../texts.ts'
import type { Refusal } from './writes.ts'

interface Props {
  readonly label: string
  /** As the service has it. */
  readonly value: string
  readonly isLong?: boolean
  readonly isReadOnly: boolean
  /** What is wrong with a text, before it is sent. */
  readonly check: (text: string) => string | undefined
  /** @param opened what it was when the edit began @returns why it was refused */
  readonly onSave: (text: string, opened: string) => Promise<Refusal | undefined>
}

/** A text that is saved when its field is left, or by Enter; Escape takes it back. */
export function AtOnceField({ label, value, isLong = false, isReadOnly, check, onSave }: Props) {
  const t = useTexts(flagTexts)
  const [typed, setTyped] = useState(value)
  /** The value when the edit began. */
  const [opened, setOpened] = useState(value)
  const [refused, setRefused] = useState<Refusal>()
  // What is typed just now stays, and is compared with what it was typed over.
  if (opened !== value && typed === opened) {
    setOpened(value)
    setTyped(value)
  }
  const text = typed.trim()
  const theirs = refused?.theirs
  const isSame = typed === opened || text === opened || text === value
  const saveOver = async (before: string) => {
    if (isSame || check(text) !== undefined || isReadOnly) return
    const refusal = await onSave(text, before)
    setRefused(refusal)
    if (refusal === undefined) setOpened(text)
  }
  // What others have written is replaced by the button that says so, and by no other way.
  const save = async () => theirs === undefined && saveOver(opened)
  const shared = {
    value: typed,
    readOnly: isReadOnly,
    onBlur: () => void save(),
  }
  const change = (text: string) => {
    setTyped(text)
    if (theirs === undefined) setRefused(undefined)
  }
  const takeBack = (to = value) => {
    setTyped(to)
    setOpened(to)
    setRefused(undefined)
  }
  return (
    <Field
      label={label}
      isReadOnly={isReadOnly}
      error={isSame ? undefined : (check(text) ?? refused?.reason)}
    >
      {(ids) => (
        <>
          {isLong ? (
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
          )}
          {theirs !== undefined && !isSame && (
            <span className="flex flex-wrap gap-2">
              <Button size="small" onClick={() => void saveOver(theirs)}>
                {t.saveMine}
              </Button>
              <Button size="small" look="quiet" onClick={() => takeBack(theirs)}>
                {t.takeTheirs}
              </Button>
            </span>
          )}
        </>
      )}
    </Field>
  )
}
