import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, LogOut } from 'lucide-react'
import { Icon } from '../components/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../components/menu.tsx'
import { Avatar } from '../components/person.tsx'
import { api, queryClient } from '../data/api.ts'
import { personOf } from '../data/people.ts'
import { setPreferences, usePreferences } from '../data/preferences.ts'
import { viewerQuery } from '../data/queries.ts'
import { useText } from '../text/text.ts'

const themes = ['system', 'light', 'dark'] as const
const languages = [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const

/** Who is signed in, how the page looks for them, and the way out. */
export function PersonMenu() {
  const t = useText()
  const navigate = useNavigate()
  const { theme, language } = usePreferences()
  const { data: viewer } = useQuery(viewerQuery)
  const isSession = viewer?.kind === 'session'
  const name = isSession ? personOf(viewer.session.authentication).name : t.frame.openAccess
  const signOut = async () => {
    const { logoutUrl } = await api.sessions.signOut()
    queryClient.clear()
    if (logoutUrl) location.assign(logoutUrl)
    else await navigate({ to: '/login' })
  }
  return (
    <Menu
      trigger={
        <button type="button" className="user">
          <Avatar name={name} />
          <span className="grow">{name}</span>
          <Icon of={ChevronsUpDown} small />
        </button>
      }
    >
      <div className="head">{t.frame.theme}</div>
      {themes.map((one) => (
        <MenuItem
          key={one}
          onSelect={() => setPreferences({ theme: one })}
          end={one === theme && <Icon of={Check} small />}
        >
          {t.frame.themes[one]}
        </MenuItem>
      ))}
      <div className="head">{t.frame.language}</div>
      {languages.map(([code, name]) => (
        <MenuItem
          key={code}
          onSelect={() => setPreferences({ language: code })}
          end={code === language && <Icon of={Check} small />}
        >
          <span lang={code}>{name}</span>
        </MenuItem>
      ))}
      {isSession && (
        <>
          <MenuLine />
          <MenuItem icon={LogOut} onSelect={() => void signOut()}>
            {t.frame.signOut}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
