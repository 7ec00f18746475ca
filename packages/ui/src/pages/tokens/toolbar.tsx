import { useQuery } from '@tanstack/react-query'
import { ArrowUpDown } from 'lucide-react'
import type { Ref } from 'react'
import { useSetFilters } from '../../app/set-search.ts'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { FilterButton } from '../../components/filter-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuChoice } from '../../components/menu.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Tile } from '../../components/tile.tsx'
import { methodsQuery, namespacesQuery } from '../../data/queries.ts'
import { useTexts } from '../../text/texts.ts'
import { sorts, states, type TokensSearch } from './search.ts'
import { tokensTexts } from './texts.ts'

interface Props {
  readonly search: TokensSearch
  readonly inputRef: Ref<HTMLInputElement>
}

export function Toolbar({ search, inputRef }: Props) {
  const t = useTexts(tokensTexts)
  const setFilters = useSetFilters<TokensSearch>()
  const { data: namespaces = [] } = useQuery(namespacesQuery)
  const { data } = useQuery(methodsQuery)
  const hasWorkloads =
    search.kind !== undefined ||
    data?.methods.some(({ method, enabled }) => enabled && method === 'METHOD_ORCHESTRATOR')
  const { q = '', works, state, kind, sort = 'name' } = search
  const nameOf = (works: string) =>
    works === '*' ? t.everywhere : namespaces.find(({ key }) => key === works)?.name || works
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2 narrow:-mx-4 narrow:flex-nowrap narrow:overflow-x-auto narrow:px-4 narrow:py-0.75 narrow:[scrollbar-width:none]">
      <SearchField
        text={q}
        label={t.search}
        hint={t.searchHint}
        inputRef={inputRef}
        onSearch={(q) => setFilters({ q: q === '' ? undefined : q })}
      />
      <Combobox
        label={t.worksIn}
        value={works}
        trigger={
          <FilterButton
            name={t.worksIn}
            chosen={works && nameOf(works)}
            onClear={() => setFilters({ works: undefined })}
          />
        }
        items={[
          { value: '*', text: t.everywhere },
          ...namespaces.map((namespace) => ({
            value: namespace.key,
            text: namespace.name || namespace.key,
            mark: <Tile namespace={namespace} size="small" />,
          })),
        ]}
        onChange={(works) => setFilters({ works })}
      />
      <Menu
        align="start"
        trigger={
          <FilterButton
            name={t.state}
            chosen={state && t.states[state]}
            onClear={() => setFilters({ state: undefined })}
          />
        }
      >
        <MenuChoice
          value={state ?? ''}
          choices={states.map((one) => [one, t.states[one]])}
          onChange={(chosen) => setFilters({ state: states.find((one) => one === chosen) })}
        />
      </Menu>
      {hasWorkloads === true && (
        <Menu
          align="start"
          trigger={
            <FilterButton
              name={t.kind}
              chosen={kind && t.workloads}
              onClear={() => setFilters({ kind: undefined })}
            />
          }
        >
          <MenuChoice
            value={kind ?? ''}
            choices={[['workload', t.workloads]]}
            onChange={() => setFilters({ kind: 'workload' })}
          />
        </Menu>
      )}
      <Menu
        trigger={
          <Button look="quiet" className="ms-auto">
            <Icon of={ArrowUpDown} />
            <span className="narrow:sr-only">{t.sort}</span>
          </Button>
        }
      >
        <MenuChoice
          value={sort}
          choices={sorts.map((one) => [one, t.sorts[one]])}
          onChange={(sort) => setFilters({ sort: sort === 'name' ? undefined : sort })}
        />
      </Menu>
    </search>
  )
}
