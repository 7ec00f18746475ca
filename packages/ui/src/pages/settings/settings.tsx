import { Crumbs } from '../../app/crumbs.tsx'
import { useTitle } from '../../app/title.ts'
import { Page, PageHead } from '../../components/page.tsx'
import { useTexts } from '../../text/texts.ts'
import { settingsTexts } from './texts.ts'

export function SettingsPage() {
  const t = useTexts(settingsTexts)
  useTitle(t.title)
  return (
    <>
      <Crumbs path={[{ text: t.title }]} />
      <Page>
        <PageHead title={t.title} />
      </Page>
    </>
  )
}
