import { FilterButton } from '../components/filter-button.tsx'
import { Menu, MenuChoice } from '../components/menu.tsx'
import { useTexts } from '../text/texts.ts'
import { type Source, sources } from './sources.ts'
import { historyPartTexts } from './texts.ts'

interface Props {
  readonly source: Source | undefined
  readonly onChange: (source: Source | undefined) => void
}

/** By what changes came about. */
export function SourceFilter({ source, onChange }: Props) {
  const t = useTexts(historyPartTexts)
  return (
    <Menu
      align="start"
      trigger={
        <FilterButton
          name={t.way}
          chosen={source && t.ways[source]}
          onClear={() => onChange(undefined)}
        />
      }
    >
      <MenuChoice
        value={source ?? ''}
        choices={sources.map((one) => [one, t.ways[one]])}
        onChange={(next) => onChange(sources.find((one) => one === next))}
      />
    </Menu>
  )
}
