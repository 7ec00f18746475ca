import { Crumbs } from '../../app/crumbs.tsx'
import { useTitle } from '../../app/title.ts'
import { Page, PageHead } from '../../components/page.tsx'
import { useTexts } from '../../text/texts.ts'
import { statusTexts } from './texts.ts'

export function StatusPage() {
  const t = useTexts(statusTexts)
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
