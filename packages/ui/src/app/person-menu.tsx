import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { ChevronsUpDown, LogOut } from 'lucide-react'
import { Icon } from '../components/icon.tsx'
import { Menu, MenuChoice, MenuItem, MenuLine } from '../components/menu.tsx'
import { Avatar } from '../components/person.tsx'
import { personOf } from '../data/people.ts'
import { setPreferences, usePreferences } from '../data/preferences.ts'
import { viewerQuery } from '../data/queries.ts'
import { type Language, languages } from '../text/language.ts'
import { prepareLanguage, useTexts } from '../text/texts.ts'
import { foldable, foldableRow } from './side-bar.tsx'
import { signOut } from './sign-out.ts'
import { appTexts } from './texts.ts'

/** Who is signed in, how the page looks for them, and the way out. */
export function PersonMenu() {
  const t = useTexts(appTexts)
  const { theme, language, density } = usePreferences()
  const { data: viewer } = useQuery(viewerQuery)
  const person = viewer?.kind === 'session' ? personOf(viewer.session.authentication) : undefined
  const name = person?.name ?? t.openAccess
  const speak = (language: Language) => {
    void prepareLanguage(language).then(() => setPreferences({ language }))
  }
  return (
    <Menu
      side="top"
      align="start"
      trigger={
        <button
          type="button"
          className={clsx(
            'flex w-full items-center gap-2 rounded-2 p-2 text-13 hover:bg-hover data-popup-open:bg-hover',
            foldableRow,
          )}
        >
          <Avatar name={name} isBot={person?.isBot ?? false} />
          <span className={clsx('min-w-0 flex-1 truncate', foldable)}>{name}</span>
          <Icon of={ChevronsUpDown} small className={foldable} />
        </button>
      }
    >
      <MenuChoice
        title={t.theme}
        value={theme}
        onChange={(theme) => setPreferences({ theme })}
        choices={(['system', 'light', 'dark'] as const).map((one) => [one, t.themes[one]])}
      />
      <MenuChoice
        title={t.density}
        value={density}
        onChange={(density) => setPreferences({ density })}
        choices={(['comfortable', 'compact'] as const).map((one) => [one, t.densities[one]])}
      />
      <MenuChoice
        title={t.language}
        value={language}
        onChange={speak}
        choices={languages.map(([code, name]) => [
          code,
          <span key={code} lang={code}>
            {name}
          </span>,
        ])}
      />
      {person !== undefined && (
        <>
          <MenuLine />
          <MenuItem icon={LogOut} onSelect={() => void signOut()}>
            {t.signOut}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
