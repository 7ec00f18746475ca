import type { Flag } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { useDeferredValue, useId, useState } from 'react'
import { withText } from '../../app/with-text.ts'
import { inputFrame } from '../../components/classes.ts'
import { Combobox } from '../../components/combobox.tsx'
import { Dial } from '../../components/dial.tsx'
import { Icon } from '../../components/icon.tsx'
import { flagsQuery } from '../../data/queries.ts'
import { useTexts } from '../../text/texts.ts'
import { consoleTexts } from './texts.ts'

interface Props {
  readonly namespaceKey: string
  readonly value: string | undefined
  /** The name of what is chosen, if it is known. */
  readonly name: string | undefined
  readonly onChange: (key: string) => void
}

/** Flags that are offered at once. */
const maxFlags = 50

/** The flag that is asked, found by its name or key. */
export function FlagChoice({ namespaceKey, value, name, onChange }: Props) {
  const t = useTexts(consoleTexts)
  const id = useId()
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const q = useDeferredValue(text)
  const sort = q === '' ? '-updatedAt' : 'name'
  const query = useQuery(
    flagsQuery({ namespaceKey, limit: maxFlags, sort, ...(q !== '' && { q }) }),
  )
  const flags = query.data?.flags ?? []
  const offered = query.isPlaceholderData || q !== text ? withText(flags, text) : flags
  const chosen = flags.find(({ key }) => key === value)
  const chosenName = chosen?.name || name || value
  return (
    <div className="grid gap-1.5">
      <span id={id} className="text-13 font-medium">
        {t.flag}
      </span>
      <Combobox
        label={t.flag}
        searchLabel={t.searchFlags}
        value={value}
        onChange={onChange}
        onSearch={setTyped}
        isLoading={query.isFetching}
        className="w-(--anchor-width)! min-w-76"
        items={offered.map((flag) => ({
          value: flag.key,
          text: flag.name || flag.key,
          detail: flag.key,
          mark: <FlagMark flag={flag} />,
        }))}
        trigger={
          <button
            type="button"
            aria-labelledby={`${id} ${id}-value`}
            className={`${inputFrame} cursor-pointer hover:bg-hover focus-visible:outline-2 focus-visible:outline-offset-1 focus-visible:outline-focus`}
          >
            {chosen && <FlagMark flag={chosen} />}
            <span id={`${id}-value`} className="flex min-w-0 flex-1 items-baseline gap-2">
              {value === undefined ? (
                <span className="text-faint">{t.chooseFlag}</span>
              ) : (
                <>
                  <span className="min-w-0 truncate">{chosenName}</span>
                  {chosenName !== value && (
                    <span className="min-w-0 truncate font-mono text-12 text-muted">{value}</span>
                  )}
                </>
              )}
            </span>
            <Icon of={ChevronDown} small className="text-muted" />
          </button>
        }
      />
    </div>
  )
}

function FlagMark({ flag }: { readonly flag: Flag }) {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return <Dial share={flag.summary?.onShare} />
  return (
    <span className="flex w-3.5 flex-none justify-center gap-px" aria-hidden="true">
      <i data-hue="v1" className="hue-fill h-3 w-1 rounded-[1px]" />
      <i data-hue="v2" className="hue-fill h-3 w-1 rounded-[1px]" />
      <i data-hue="v3" className="hue-fill h-3 w-1 rounded-[1px]" />
    </span>
  )
}
