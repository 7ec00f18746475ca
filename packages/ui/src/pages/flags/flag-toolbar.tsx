import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { useText } from '../../text/text.ts'
import type { FlagsSearch } from './search.ts'

/** How long typing pauses before it is searched for, in milliseconds. */
const pauseMs = 200

interface Props {
  readonly namespaceKey: string
  readonly search: FlagsSearch
}

export function FlagToolbar({ namespaceKey, search }: Props) {
  const t = useText()
  const navigate = useNavigate()
  const [text, setText] = useState(search.q ?? '')
  useEffect(() => {
    if (text === (search.q ?? '')) return
    const timer = setTimeout(() => {
      const { page: _, q: __, ...rest } = search
      navigate({
        to: '/ns/$namespaceKey/flags',
        params: { namespaceKey },
        search: { ...rest, ...(text !== '' && { q: text }) },
        replace: true,
      }).catch(() => {})
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [text, search, namespaceKey, navigate])
  return (
    <search className="toolbar">
      <label className="input search">
        <Icon of={Search} />
        <input
          type="search"
          placeholder={t.flags.searchHint}
          aria-label={t.flags.search}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <kbd className="hide-s">/</kbd>
      </label>
    </search>
  )
}
