import type { Flag } from '@svc/client/api'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import type { PageNamespace } from '../../app/namespace.ts'
import { useSetFilters } from '../../app/set-search.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Checkbox } from '../../components/checkbox.tsx'
import { Table, TableHead, Th } from '../../components/table.tsx'
import { useDraftKeys } from '../../data/drafts.ts'
import { useTexts } from '../../text/texts.ts'
import { FlagRow } from './row.tsx'
import type { FlagsSearch, Sort } from './search.ts'
import { flagsTexts } from './texts.ts'
import { useToggle } from './toggle.ts'

const ConfirmToggle = lazy(() => import('./confirm-toggle.tsx'))
const BulkBar = lazy(async () => ({ default: (await import('./bulk-bar.tsx')).BulkBar }))
const DeleteFlags = lazy(async () => ({ default: (await import('./bulk-bar.tsx')).DeleteFlags }))

interface Props {
  readonly flags: readonly Flag[]
  readonly namespace: PageNamespace
  readonly sort: Sort
  readonly changed: ReadonlySet<string>
}

/** A page of flags with its cursor and its selection. */
export function FlagList({ flags, namespace, sort, changed }: Props) {
  const t = useTexts(flagsTexts)
  const setFilters = useSetFilters<FlagsSearch>()
  const navigate = useNavigate()
  const offlineReason = useOfflineReason()
  const toggle = useToggle(namespace)
  const drafts = useDraftKeys(namespace.key, 'flag')
  const body = useRef<HTMLTableSectionElement>(null)
  const [cursor, setCursor] = useState<string>()
  const [anchor, setAnchor] = useState<string>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [asked, setAsked] = useState<Flag>()
  const [doomed, setDoomed] = useState<readonly Flag[]>([])

  const chosen = flags.filter(({ key }) => selected.has(key))
  const place = flags.findIndex(({ key }) => key === cursor)
  const current = flags[place]

  const turn = (flag: Flag) => {
    if (offlineReason !== undefined) return
    if (namespace.confirm) setAsked(flag)
    else void toggle(flag)
  }
  const select = (key: string, isSelected: boolean, isRange: boolean) => {
    const keys = flags.map((flag) => flag.key)
    const [one, other] = [keys.indexOf(isRange ? (anchor ?? key) : key), keys.indexOf(key)]
    const touched = keys.slice(Math.min(one, other), Math.max(one, other) + 1)
    const next = new Set(selected)
    for (const touchedKey of touched) {
      if (isSelected) next.add(touchedKey)
      else next.delete(touchedKey)
    }
    setSelected(next)
    setAnchor(key)
  }
  const focusRow = (next: number) => {
    const links = body.current?.querySelectorAll<HTMLElement>('[data-row-link]')
    links?.[Math.max(0, Math.min(next, links.length - 1))]?.focus()
  }
  /** What was deleted: when the dialog and the row are gone, the next row has the focus. */
  const gone = useRef<{ readonly key: string; readonly place: number }>(undefined)
  useEffect(() => {
    const { current: was } = gone
    if (was === undefined || doomed.length > 0 || flags.some(({ key }) => key === was.key)) return
    gone.current = undefined
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) focusRow(was.place)
    })
  })
  const move = (step: number) =>
    focusRow(place === -1 ? (step > 0 ? 0 : flags.length - 1) : place + step)
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: place === -1 ? undefined : () => move(1),
    ArrowUp: place === -1 ? undefined : () => move(-1),
    x: () => current && select(current.key, !selected.has(current.key), false),
    'shift+x': () => current && select(current.key, true, true),
    e: () => current && turn(current),
    Escape: selected.size > 0 ? () => setSelected(new Set()) : undefined,
    ...(current && {
      o: () =>
        void navigate({
          to: '/ns/$namespaceKey/flags/$flagKey',
          params: { namespaceKey: namespace.key, flagKey: current.key },
        }),
    }),
  })

  const sortBy = (first: Sort, second: Sort) => {
    const next = sort === first ? second : first
    setFilters({ sort: next === '-updatedAt' ? undefined : next })
  }
  const isAll = chosen.length === flags.length
  return (
    <>
      <Table label={t.title}>
        <TableHead>
          <Th isTight className="leading-none">
            <Checkbox
              isChecked={isAll}
              isMixed={!isAll && chosen.length > 0}
              name={t.selectAll}
              onChange={(checked) =>
                setSelected(new Set(checked ? flags.map(({ key }) => key) : []))
              }
            />
          </Th>
          <Th isTight>{t.state}</Th>
          <Th
            sort={sort === 'name' ? 'ascending' : sort === '-name' ? 'descending' : 'none'}
            onSort={() => sortBy('name', '-name')}
          >
            {t.flag}
          </Th>
          <Th>{t.serves}</Th>
          <Th className="max-xl:hidden">{t.tags}</Th>
          <Th
            sort={
              sort === 'updatedAt' ? 'ascending' : sort === '-updatedAt' ? 'descending' : 'none'
            }
            onSort={() => sortBy('-updatedAt', 'updatedAt')}
          >
            {t.changed}
          </Th>
          <Th isTight>
            <span className="sr-only">{t.more}</span>
          </Th>
        </TableHead>
        <tbody ref={body} className="narrow:block">
          {flags.map((flag) => (
            <FlagRow
              key={flag.key}
              flag={flag}
              namespace={namespace}
              isCursor={flag.key === cursor}
              isSelected={selected.has(flag.key)}
              isChanged={changed.has(flag.key)}
              hasDraft={drafts.has(flag.key)}
              offlineReason={offlineReason}
              onFocus={() => setCursor(flag.key)}
              onSelect={(isSelected, isRange) => select(flag.key, isSelected, isRange)}
              onToggle={() => turn(flag)}
              onDelete={() => setDoomed([flag])}
            />
          ))}
        </tbody>
      </Table>
      <Suspense fallback={null}>
        {chosen.length > 0 && (
          <BulkBar
            flags={chosen}
            namespace={namespace}
            offlineReason={offlineReason}
            onClear={() => setSelected(new Set())}
            onDelete={() => setDoomed(chosen)}
          />
        )}
        {asked !== undefined && (
          <ConfirmToggle
            flag={asked}
            namespace={namespace}
            onClose={() => setAsked(undefined)}
            onConfirm={(comment) => {
              setAsked(undefined)
              void toggle(asked, comment)
            }}
          />
        )}
        {doomed.length > 0 && (
          <DeleteFlags
            flags={doomed}
            namespace={namespace}
            onClose={() => setDoomed([])}
            onDeleted={() => {
              setSelected(new Set())
              const [first] = doomed
              if (first !== undefined)
                gone.current = { key: first.key, place: flags.indexOf(first) }
            }}
          />
        )}
      </Suspense>
    </>
  )
}
