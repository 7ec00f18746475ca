import type { Namespace } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import clsx from 'clsx'
import { ChevronsUpDown, Lock, Plus } from 'lucide-react'
import { menuItem } from '../components/classes.ts'
import { Icon } from '../components/icon.tsx'
import { LateCombobox } from '../components/late-combobox.tsx'
import { Tile } from '../components/tile.tsx'
import { namespacesQuery, viewerQuery } from '../data/queries.ts'
import { useFormat, useTexts } from '../text/texts.ts'
import { openLayer } from './actions.ts'
import { foldable, foldableRow } from './side-bar.tsx'
import { appTexts } from './texts.ts'

interface Props {
  readonly current: Namespace | undefined
  readonly isSmall?: boolean
}

/** Chooses the namespace. A session of one namespace has no other, and then nothing to choose. */
export function NamespaceSwitcher({ current, isSmall = false }: Props) {
  const t = useTexts(appTexts)
  const { number } = useFormat()
  const choose = useNamespaceChoice()
  const { data: viewer } = useQuery(viewerQuery)
  const { data: all = [] } = useQuery(namespacesQuery)
  if (current === undefined) return <div className="h-10 flex-none" />
  const isBound = viewer?.kind === 'session' && viewer.session.namespaceKey !== ''
  const look = clsx(
    'flex min-w-0 flex-none items-center gap-2 rounded-3 px-2 py-1',
    isSmall ? 'min-h-11' : ['min-h-10 w-full', foldableRow],
  )
  const face = isSmall ? (
    <>
      <Tile namespace={current} />
      <b className="truncate text-13">{current.name || current.key}</b>
      {current.confirm && <Icon of={Lock} small />}
    </>
  ) : (
    <>
      <Tile namespace={current} size="large" />
      <span className={clsx('min-w-0 flex-1', foldable)}>
        <b className="block truncate text-13 leading-[1.2]">{current.name || current.key}</b>
        <span className="block truncate font-mono text-11 leading-[1.3] text-muted">
          {current.key}
        </span>
      </span>
      {current.confirm && <Icon of={Lock} small className={foldable} />}
    </>
  )
  if (isBound) return <div className={look}>{face}</div>
  return (
    <LateCombobox
      label={t.namespaces}
      searchLabel={t.findNamespace}
      value={current.key}
      onChange={choose}
      items={all.map((namespace) => ({
        value: namespace.key,
        text: namespace.name || namespace.key,
        detail: namespace.key,
        mark: <Tile namespace={namespace} />,
        end: (
          <span className="flex items-center gap-1.5 text-12 text-faint">
            {namespace.confirm && <Icon of={Lock} small />}
            {namespace.flagCount !== undefined &&
              t.counts(namespace.flagCount, number(namespace.flagCount))}
          </span>
        ),
      }))}
      footer={(close) => (
        <button
          type="button"
          className={clsx(menuItem, 'hover:bg-hover focus-visible:bg-hover')}
          onClick={() => {
            close()
            openLayer('namespace')
          }}
        >
          <Icon of={Plus} className="text-muted" />
          {t.newNamespace}
        </button>
      )}
      trigger={
        <button
          type="button"
          aria-label={`${t.namespaces}: ${current.name || current.key}`}
          className={clsx(look, 'text-start hover:bg-hover data-popup-open:bg-hover')}
        >
          {face}
          <Icon of={ChevronsUpDown} small className={isSmall ? '' : foldable} />
        </button>
      }
    />
  )
}

/** @returns what goes to another namespace, and stays in the same part of it */
export function useNamespaceChoice(): (key: string) => void {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  return (namespaceKey) => {
    const [, section = 'flags'] = /^\/ns\/[^/]+\/(\w+)/.exec(pathname) ?? []
    navigate({ to: `/ns/${encodeURIComponent(namespaceKey)}/${section}` }).catch(() => {})
  }
}
