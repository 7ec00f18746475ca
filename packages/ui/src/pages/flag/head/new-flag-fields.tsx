import { useState } from 'react'
import { NameAndKey } from '../../../app/name-and-key/fields.tsx'
import { nameAndKeyTexts } from '../../../app/name-and-key/texts.ts'
import { api } from '../../../data/api.ts'
import { useFreeKey } from '../../../data/free-key.ts'
import { keyPattern, maxKeyLength } from '../../../data/keys.ts'
import { useTexts } from '../../../text/texts.ts'
import { flagTexts } from '../texts.ts'

export interface NewNames {
  readonly name: string
  readonly key: string
}

/** @returns what is wrong with a key, nothing when it may be free */
export function useNewNames(namespaceKey: string, start: NewNames) {
  const t = useTexts(flagTexts)
  const { keyWrong } = useTexts(nameAndKeyTexts)
  const [names, setNames] = useState<NewNames>(start)
  const [read] = useState(
    () => (key: string, signal: AbortSignal) => api.flags.get({ namespaceKey, key }, { signal }),
  )
  const state = useFreeKey(names.key, read)
  const error = !keyPattern.test(names.key)
    ? keyWrong
    : state === 'taken'
      ? t.keyTaken(names.key)
      : undefined
  return { names, setNames, state, error, isReady: error === undefined && names.name.trim() !== '' }
}

/** Name and key of a flag that is made of another one. */
export function NewFlagFields({ names, setNames, state, error }: ReturnType<typeof useNewNames>) {
  const type = (changes: Partial<NewNames>) => setNames((before) => ({ ...before, ...changes }))
  return (
    <NameAndKey
      name={{
        value: names.name,
        maxLength: 255,
        onChange: ({ target }) => type({ name: target.value }),
      }}
      keyProps={{
        value: names.key,
        maxLength: maxKeyLength,
        onChange: ({ target }) => type({ key: target.value }),
      }}
      keyError={error}
      keyState={state}
      onDerivedKey={(key) => type({ key })}
    />
  )
}
