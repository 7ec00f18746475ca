import clsx from 'clsx'
import { Check, LoaderCircle } from 'lucide-react'
import { type ComponentProps, useRef } from 'react'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { TextInput } from '../../components/text-input.tsx'
import type { KeyState } from '../../data/free-key.ts'
import { keyFor } from '../../data/keys.ts'
import { useTexts } from '../../text/texts.ts'
import { nameAndKeyTexts } from './texts.ts'

interface Props {
  /** Of the fields as a form has them. */
  readonly name: ComponentProps<typeof TextInput>
  readonly keyProps: ComponentProps<typeof TextInput>
  readonly nameError?: string | undefined
  readonly keyError?: string | undefined
  readonly keyState: KeyState
  /** Is told the key of what is typed as a name, until a key is typed. */
  readonly onDerivedKey: (key: string) => void
  /** Whether they are below each other at every width. */
  readonly isStacked?: boolean
}

/** The name of something new, and its key, which follows the name until it is typed itself. */
export function NameAndKey({
  name,
  keyProps,
  nameError,
  keyError,
  keyState,
  onDerivedKey,
  isStacked = false,
}: Props) {
  const t = useTexts(nameAndKeyTexts)
  const isKeyTyped = useRef(false)
  return (
    <div
      className={clsx(
        'grid',
        isStacked ? 'grid-cols-[minmax(0,1fr)] gap-5' : 'grid-cols-2 gap-4 narrow:grid-cols-1',
      )}
    >
      <Field label={t.name} error={nameError}>
        {(ids) => (
          <TextInput
            {...ids}
            {...name}
            onChange={(event) => {
              name.onChange?.(event)
              if (!isKeyTyped.current) onDerivedKey(keyFor(event.target.value))
            }}
            autoComplete="off"
          />
        )}
      </Field>
      <Field label={t.key} error={keyError} help={keyState === 'free' ? t.keyFree : t.keyHelp}>
        {(ids) => (
          <TextInput
            {...ids}
            {...keyProps}
            onChange={(event) => {
              isKeyTyped.current = true
              keyProps.onChange?.(event)
            }}
            isMono
            autoComplete="off"
            spellCheck={false}
            end={<KeyMark state={keyState} checking={t.checking} />}
          />
        )}
      </Field>
    </div>
  )
}

function KeyMark({ state, checking }: { readonly state: KeyState; readonly checking: string }) {
  if (state === 'free') return <Icon of={Check} className="text-on" />
  if (state !== 'checking') return null
  return (
    <span role="img" aria-label={checking}>
      <Icon of={LoaderCircle} className="text-faint" />
    </span>
  )
}
