import { FilterButton } from '../components/filter-button.tsx'
import { Menu, MenuChoice } from '../components/menu.tsx'
import { useTexts } from '../text/texts.ts'
import { historyPartTexts } from './texts.ts'

interface Props {
  readonly actorId: string | undefined
  /** Those of the list, by id. */
  readonly people: ReadonlyMap<string, string>
  readonly onChange: (actorId: string | undefined) => void
}

/** Who did it: one of those who are in the list. */
export function PersonFilter({ actorId, people, onChange }: Props) {
  const t = useTexts(historyPartTexts)
  const choices = [...people].sort(([, one], [, other]) => one.localeCompare(other))
  const chosen = actorId === undefined ? undefined : (people.get(actorId) ?? actorId.slice(0, 8))
  return (
    <Menu
      align="start"
      trigger={<FilterButton name={t.person} chosen={chosen} onClear={() => onChange(undefined)} />}
    >
      <MenuChoice title={t.persons} value={actorId ?? ''} choices={choices} onChange={onChange} />
    </Menu>
  )
}
