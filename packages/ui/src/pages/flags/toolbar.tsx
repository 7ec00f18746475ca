import { useQuery } from '@tanstack/react-query'
import { AlignJustify } from 'lucide-react'
import type { Ref } from 'react'
import { useSetFilters } from '../../app/set-search.ts'
import { Button } from '../../components/button.tsx'
import { FilterButton } from '../../components/filter-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { LateCombobox } from '../../components/late-combobox.tsx'
import { Menu, MenuChoice } from '../../components/menu.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { setPreferences, usePreferences } from '../../data/preferences.ts'
import { tagsQuery } from '../../data/queries.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { type FlagsSearch, pageSizes, type Sort } from './search.ts'
import { flagsTexts } from './texts.ts'

const shownSorts = [
  '-updatedAt',
  'updatedAt',
  'name',
  '-name',
  'key',
  '-createdAt',
  'createdAt',
] as const satisfies readonly Sort[]

interface Props {
  readonly namespaceKey: string
  readonly search: FlagsSearch
  readonly inputRef: Ref<HTMLInputElement>
}

export function Toolbar({ namespaceKey, search, inputRef }: Props) {
  const t = useTexts(flagsTexts)
  const { number } = useFormat()
  const { density } = usePreferences()
  const setFilters = useSetFilters<FlagsSearch>()
  const { type, state, tag = [], segment, sort = '-updatedAt', size = pageSizes[0] } = search
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2 narrow:-mx-4 narrow:flex-nowrap narrow:overflow-x-auto narrow:px-4 narrow:py-0.75 narrow:[scrollbar-width:none]">
      <SearchField
        text={search.q ?? ''}
        onSearch={(text) => setFilters({ q: text === '' ? undefined : text })}
        label={t.search}
        hint={t.searchHint}
        inputRef={inputRef}
      />
      <Menu
        align="start"
        trigger={
          <FilterButton
            name={t.type}
            chosen={type && t.types[type]}
            onClear={() => setFilters({ type: undefined })}
          />
        }
      >
        <MenuChoice
          value={type ?? ''}
          choices={[
            ['boolean', t.types.boolean],
            ['variant', t.types.variant],
          ]}
          onChange={(type) => setFilters({ type: type === 'boolean' ? type : 'variant' })}
        />
      </Menu>
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
          choices={[
            ['on', t.states.on],
            ['off', t.states.off],
          ]}
          onChange={(state) => setFilters({ state: state === 'on' ? state : 'off' })}
        />
      </Menu>
      <TagFilter
        namespaceKey={namespaceKey}
        tags={tag}
        onChange={(tags) => setFilters({ tag: tags.length === 0 ? undefined : tags })}
      />
      {segment !== undefined && (
        <FilterButton
          name={t.segment}
          chosen={segment}
          onClear={() => setFilters({ segment: undefined })}
        />
      )}
      <Menu
        trigger={
          <Button look="quiet" aria-label={t.viewHint} className="ms-auto">
            <Icon of={AlignJustify} />
            <span className="narrow:sr-only">{t.view}</span>
          </Button>
        }
      >
        <MenuChoice
          title={t.sort}
          value={sort}
          choices={shownSorts.map((one) => [one, t.sorts[one]])}
          onChange={(sort) => setFilters({ sort: sort === '-updatedAt' ? undefined : sort })}
        />
        <MenuChoice
          title={t.density}
          value={density}
          choices={(['comfortable', 'compact'] as const).map((one) => [one, t.densities[one]])}
          onChange={(density) => setPreferences({ density })}
        />
        <MenuChoice
          title={t.pageSize}
          value={String(size)}
          choices={pageSizes.map((one) => [String(one), number(one)])}
          onChange={(size) =>
            setFilters({ size: Number(size) === pageSizes[0] ? undefined : Number(size) })
          }
        />
      </Menu>
    </search>
  )
}

interface TagFilterProps {
  readonly namespaceKey: string
  readonly tags: readonly string[]
  readonly onChange: (tags: readonly string[]) => void
}

function TagFilter({ namespaceKey, tags, onChange }: TagFilterProps) {
  const t = useTexts(flagsTexts)
  const { number, list } = useFormat()
  const { data, isPending } = useQuery(tagsQuery(namespaceKey))
  return (
    <LateCombobox
      trigger={
        <FilterButton
          name={t.tag}
          chosen={tags.length === 0 ? undefined : list(tags)}
          onClear={() => onChange([])}
        />
      }
      label={t.tags}
      searchLabel={t.tagSearch}
      value={undefined}
      isLoading={isPending}
      items={(data?.tags ?? []).map(({ name, count }) => ({
        value: name,
        text: name,
        end: (
          <span className="text-12 text-faint">{tags.includes(name) ? '✓' : number(count)}</span>
        ),
      }))}
      onChange={(tag) =>
        onChange(tags.includes(tag) ? tags.filter((one) => one !== tag) : [...tags, tag])
      }
    />
  )
}
