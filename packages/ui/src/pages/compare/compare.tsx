import type { Namespace } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowLeftRight } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Crumbs } from '../../app/crumbs.tsx'
import { useShownNamespace } from '../../app/namespace.ts'
import { PageError } from '../../app/page-error.tsx'
import { useTitle } from '../../app/title.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page, PageHead } from '../../components/page.tsx'
import { Select } from '../../components/select.tsx'
import { SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { Tabs, tabClass } from '../../components/tabs.tsx'
import { Tile } from '../../components/tile.tsx'
import { namespacesQuery } from '../../data/queries.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { ChosenBar } from './chosen-bar.tsx'
import { contentQuery } from './promotion.ts'
import { canTake, rowsOf } from './rows.ts'
import type { CompareSearch } from './search.ts'
import { CompareTable } from './table.tsx'
import { compareTexts } from './texts.ts'

const CompareReview = lazy(() => import('./review.tsx'))

type Of = 'flag' | 'segment'

/** Keys of a list that stand in the address. */
const maxKeys = 50

/** Two namespaces beside each other, and what one is to get from the other. */
export function ComparePage() {
  const t = useTexts(compareTexts)
  const { number } = useFormat()
  const navigate = useNavigate({ from: '/compare' })
  const search = useSearch({ from: '/inside/compare' })
  const shown = useShownNamespace()
  const { data: namespaces = [] } = useQuery(namespacesQuery)
  useTitle(t.title)
  const find = (key: string | undefined) => namespaces.find((one) => one.key === key)
  const from = search.from ?? (search.to === shown?.key ? undefined : shown?.key)
  const to = search.to
  const isPair = from !== undefined && to !== undefined && from !== to
  const source = useQuery({ ...contentQuery(from ?? ''), enabled: isPair })
  const target = useQuery({ ...contentQuery(to ?? ''), enabled: isPair })
  const rows = useMemo(() => {
    if (!isPair || source.data === undefined || target.data === undefined) return undefined
    const both = [source.data, target.data] as const
    return { flag: rowsOf('flag', ...both), segment: rowsOf('segment', ...both) }
  }, [isPair, source.data, target.data])

  const go = (change: Partial<CompareSearch>, isNew = false) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: !isNew })
  /** Of other namespaces nothing is chosen. */
  const choose = (pair: Pick<CompareSearch, 'from' | 'to'>) =>
    clear({ from, to, ...pair, review: undefined })
  const kind = search.list === 'segments' ? 'segment' : 'flag'
  // Few keys stand in the address; more would be too long for it.
  const [many, setMany] = useState<Readonly<Record<Of, readonly string[]>>>({
    flag: [],
    segment: [],
  })
  const asked = (of: Of) => search[of] ?? many[of]
  const pick = (of: Of, keys: readonly string[]) => {
    setMany((now) => ({ ...now, [of]: keys }))
    go({ [of]: keys.length > 0 && keys.length <= maxKeys ? keys : undefined })
  }
  const clear = (more: Partial<CompareSearch> = {}) => {
    setMany({ flag: [], segment: [] })
    go({ flag: undefined, segment: undefined, ...more })
  }
  // What differs no more, or is gone, is not chosen any more.
  const chosenOf = (of: Of) => {
    const takable = new Set(rows?.[of].filter(canTake).map(({ key }) => key))
    return asked(of).filter((key) => takable.has(key))
  }
  const chosen = { flag: chosenOf('flag'), segment: chosenOf('segment') }
  const all = rows === undefined ? [] : [...rows.flag, ...rows.segment]
  const countOf = (standing: string) =>
    number(all.filter((row) => row.standing === standing).length)
  const nameOf = (key: string | undefined) => find(key)?.name || key || ''
  const error = source.error ?? target.error
  return (
    <>
      <Crumbs path={[{ text: t.title }]} />
      <Page>
        <PageHead title={t.title} lead={t.lead} />
        <div className="mb-6 flex flex-wrap items-end gap-x-5 gap-y-4 rounded-3 border border-line bg-raised p-4">
          <NamespaceSelect
            label={t.from}
            placeholder={t.choose}
            namespaces={namespaces}
            value={from}
            onChange={(key) => choose({ from: key })}
          />
          <Button
            look="quiet"
            isIcon
            aria-label={t.swap}
            onClick={() => choose({ from: to, to: from })}
          >
            <Icon of={ArrowLeftRight} />
          </Button>
          <NamespaceSelect
            label={t.to}
            placeholder={t.choose}
            namespaces={namespaces}
            value={to}
            onChange={(key) => choose({ to: key })}
          />
          {rows !== undefined && (
            <p className="ms-auto flex flex-wrap gap-x-5 gap-y-1 pb-1.5 text-13 text-muted narrow:ms-0">
              <span>
                <b className="text-text">{countOf('differs')}</b> {t.differ}
              </span>
              <span>
                <b className="text-text">{countOf('new')}</b> {t.onlyIn(nameOf(from))}
              </span>
              <span>
                <b className="text-text">{countOf('same')}</b> {t.same}
              </span>
            </p>
          )}
        </div>
        {!isPair && (
          <p className="text-muted">
            {namespaces.length === 1
              ? t.onlyOne
              : from === to && to !== undefined
                ? t.sameTwice
                : t.chooseTwo}
          </p>
        )}
        {isPair && error !== null && rows === undefined && (
          <PageError
            isPage={false}
            error={error}
            reset={() => {
              void source.refetch()
              void target.refetch()
            }}
          />
        )}
        {isPair && error === null && rows === undefined && (
          <Waiting>
            <SkeletonRows />
          </Waiting>
        )}
        {isPair && rows !== undefined && source.data !== undefined && target.data !== undefined && (
          <>
            <Tabs label={t.title}>
              {(['flag', 'segment'] as const).map((one) => (
                <Link
                  key={one}
                  from="/compare"
                  to="."
                  search={(now) => ({ ...now, list: one === 'segment' ? 'segments' : undefined })}
                  className={tabClass}
                  activeProps={{}}
                  aria-current={kind === one ? 'page' : undefined}
                >
                  {one === 'flag' ? t.flags : t.segments}
                  <span className="text-12 text-faint">
                    {number(rows[one].filter(({ standing }) => standing !== 'same').length)}
                  </span>
                </Link>
              ))}
            </Tabs>
            <CompareTable
              kind={kind}
              rows={rows[kind]}
              source={source.data}
              target={target.data}
              from={find(from) ?? { key: from, name: from }}
              to={find(to) ?? { key: to, name: to }}
              chosen={chosen[kind]}
              onChoose={(keys) => pick(kind, keys)}
            />
            <ChosenBar
              flagCount={chosen.flag.length}
              segmentCount={chosen.segment.length}
              targetName={nameOf(to)}
              onClear={() => clear()}
              onReview={() => go({ review: true }, true)}
            />
          </>
        )}
      </Page>
      <Suspense fallback={null}>
        {search.review === true &&
          rows !== undefined &&
          from !== undefined &&
          to !== undefined &&
          asked('flag').length + asked('segment').length > 0 && (
            <CompareReview
              from={find(from) ?? { key: from, name: from }}
              to={find(to) ?? { key: to, name: to }}
              flagKeys={chosen.flag}
              segmentKeys={chosen.segment}
              onClose={() => go({ review: undefined })}
              onSaved={() => clear({ review: undefined })}
            />
          )}
      </Suspense>
    </>
  )
}

interface SelectProps {
  readonly label: string
  readonly placeholder: string
  readonly namespaces: readonly Namespace[]
  readonly value: string | undefined
  readonly onChange: (key: string) => void
}

function NamespaceSelect({ label, placeholder, namespaces, value, onChange }: SelectProps) {
  return (
    <div className="grid w-52 gap-1.5 narrow:w-full">
      <span className="text-12 text-muted" aria-hidden="true">
        {label}
      </span>
      <Select
        isBlock
        name={label}
        placeholder={placeholder}
        value={value ?? ''}
        choices={namespaces.map((namespace) => ({
          value: namespace.key,
          text: namespace.name || namespace.key,
          mark: <Tile namespace={namespace} />,
        }))}
        onChange={onChange}
      />
    </div>
  )
}
