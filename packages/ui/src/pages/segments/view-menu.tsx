import { AlignJustify } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuChoice } from '../../components/menu.tsx'
import { setPreferences, usePreferences } from '../../data/preferences.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { pageSizes, type Sort } from './search.ts'
import { segmentsTexts } from './texts.ts'

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
  readonly sort: Sort
  readonly size: number
  readonly onSort: (sort: Sort) => void
  readonly onSize: (size: number) => void
}

/** How the list is shown. */
export function ViewMenu({ sort, size, onSort, onSize }: Props) {
  const t = useTexts(segmentsTexts)
  const { number } = useFormat()
  const { density } = usePreferences()
  return (
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
        onChange={onSort}
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
        onChange={(size) => onSize(Number(size))}
      />
    </Menu>
  )
}
