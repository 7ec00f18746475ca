import { Crumbs } from '../../app/crumbs.tsx'
import { usePageNamespace } from '../../app/namespace.ts'
import { useTitle } from '../../app/title.ts'
import { Page, PageHead } from '../../components/page.tsx'
import { useTexts } from '../../text/texts.ts'
import { segmentsTexts } from './texts.ts'

export function SegmentsPage() {
  const t = useTexts(segmentsTexts)
  const { key, name } = usePageNamespace()
  useTitle(t.title, name)
  return (
    <>
      <Crumbs path={[{ text: name, to: `/ns/${key}/flags` }, { text: t.title }]} live={key} />
      <Page>
        <PageHead title={t.title} />
      </Page>
    </>
  )
}
