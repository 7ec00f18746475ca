import { useSetFilters } from '../../app/set-search.ts'
import { FilterButton } from '../../components/filter-button.tsx'
import { Menu, MenuChoice } from '../../components/menu.tsx'
import { PersonFilter } from '../../history/person-filter.tsx'
import { SourceFilter } from '../../history/source-filter.tsx'
import { TimeFilter } from '../../history/time-filter.tsx'
import { useTexts } from '../../text/texts.ts'
import { type ChangesSearch, kinds } from './search.ts'
import { changesTexts } from './texts.ts'

interface Props {
  readonly search: ChangesSearch
  readonly people: ReadonlyMap<string, string>
}

export function Filters({ search, people }: Props) {
  const t = useTexts(changesTexts)
  const setFilters = useSetFilters<ChangesSearch>()
  const { kind, key, actor, source } = search
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <PersonFilter actorId={actor} people={people} onChange={(actor) => setFilters({ actor })} />
      <Menu
        align="start"
        trigger={
          <FilterButton
            name={t.kind}
            chosen={kind && t.kinds[kind]}
            onClear={() => setFilters({ kind: undefined, key: undefined })}
          />
        }
      >
        <MenuChoice
          value={kind ?? ''}
          choices={kinds.map((one) => [one, t.kinds[one]])}
          onChange={(next) =>
            setFilters({ kind: kinds.find((one) => one === next), key: undefined })
          }
        />
      </Menu>
      {kind !== undefined && key !== undefined && (
        <FilterButton
          name={t.keyOf[kind]}
          chosen={key}
          onClear={() => setFilters({ key: undefined })}
        />
      )}
      <SourceFilter source={source} onChange={(source) => setFilters({ source })} />
      <TimeFilter range={search} onChange={setFilters} />
    </search>
  )
}
