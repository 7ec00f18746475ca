import { Check, LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import { Field } from '../../../components/field.tsx'
import { Icon } from '../../../components/icon.tsx'
import { TextInput } from '../../../components/text-input.tsx'
import { api } from '../../../data/api.ts'
import { useFreeKey } from '../../../data/free-key.ts'
import { keyFor, keyPattern, maxKeyLength } from '../../../data/keys.ts'
import { useTexts } from '../../../text/texts.ts'
import { flagTexts } from '../texts.ts'

export interface NewNames {
  readonly name: string
  readonly key: string
}

/** @returns what is wrong with a key, nothing when it may be free */
export function useNewNames(namespaceKey: string, start: NewNames) {
  const t = useTexts(flagTexts)
  const [names, setNames] = useState<NewNames>(start)
  const [read] = useState(
    () => (key: string, signal: AbortSignal) => api.flags.get({ namespaceKey, key }, { signal }),
  )
  const state = useFreeKey(names.key, read)
  const error = !keyPattern.test(names.key)
    ? t.keyWrong
    : state === 'taken'
      ? t.keyTaken(names.key)
      : undefined
  return { names, setNames, state, error, isReady: error === undefined && names.name.trim() !== '' }
}

/** Name and key of a flag that is made of another one. */
export function NewFlagFields({ names, setNames, state, error }: ReturnType<typeof useNewNames>) {
  const t = useTexts(flagTexts)
  const [isKeyTouched, setKeyTouched] = useState(false)
  return (
    <div className="grid grid-cols-2 gap-4 narrow:grid-cols-1">
      <Field label={t.name}>
        {(ids) => (
          <TextInput
            {...ids}
            value={names.name}
            maxLength={255}
            autoComplete="off"
            onChange={({ target: { value } }) =>
              setNames({ name: value, key: isKeyTouched ? names.key : keyFor(value) })
            }
          />
        )}
      </Field>
      <Field label={t.key} help={t.keyHelp} error={error}>
        {(ids) => (
          <TextInput
            {...ids}
            isMono
            value={names.key}
            maxLength={maxKeyLength}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target: { value } }) => {
              setKeyTouched(true)
              setNames({ ...names, key: value })
            }}
            end={
              state === 'free' ? (
                <Icon of={Check} className="text-on" />
              ) : (
                state === 'checking' && <Icon of={LoaderCircle} className="text-faint" />
              )
            }
          />
        )}
      </Field>
    </div>
  )
}
