import { Link, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Crumbs } from '../../app/crumbs.tsx'
import { useTitle } from '../../app/title.ts'
import { Page, PageHead } from '../../components/page.tsx'
import { useTexts } from '../../text/texts.ts'
import { About } from './about.tsx'
import { Namespaces } from './namespaces.tsx'
import { sections } from './search.ts'
import { settingsTexts } from './texts.ts'
import { WaysIn } from './ways-in.tsx'
import { You } from './you.tsx'

export function SettingsPage() {
  const t = useTexts(settingsTexts)
  const { tab } = useSearch({ from: '/inside/settings' })
  useTitle(t.title)
  useEffect(() => {
    if (tab === undefined) return
    const section = document.getElementById(tab)
    section?.scrollIntoView()
    section?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })
  }, [tab])
  return (
    <>
      <Crumbs path={[{ text: t.title }]} />
      <Page>
        <PageHead title={t.title} />
        <div className="grid grid-cols-[11rem_minmax(0,var(--w-form))] items-start gap-x-10 gap-y-4 max-lg:grid-cols-[minmax(0,1fr)]">
          <nav aria-label={t.nav} className="sticky top-16 max-lg:static">
            <ul className="grid gap-px max-lg:flex max-lg:flex-wrap">
              {sections.map((section) => (
                <li key={section}>
                  <Link
                    to="/settings"
                    search={{ tab: section }}
                    replace
                    className="flex h-control items-center rounded-2 px-3 text-13 font-[450] text-muted hover:bg-hover hover:text-text [&[aria-current]]:bg-hover [&[aria-current]]:font-medium [&[aria-current]]:text-text touch:min-h-11"
                    aria-current={section === (tab ?? 'you') ? 'true' : undefined}
                    activeProps={{}}
                  >
                    {t.sections[section]}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-10">
            <You />
            <Namespaces />
            <WaysIn />
            <About />
          </div>
        </div>
      </Page>
    </>
  )
}
