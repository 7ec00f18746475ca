import { Link } from '@tanstack/react-router'
import { Crumbs } from '../../app/crumbs.tsx'
import { useTitle } from '../../app/title.ts'
import { PageHead } from '../../components/page.tsx'
import { Tabs, tabClass } from '../../components/tabs.tsx'
import { useTexts } from '../../text/texts.ts'
import { filesTexts } from './texts.ts'

/** The head that both pages have. */
export function FilesHead({ page }: { readonly page: 'import' | 'export' }) {
  const t = useTexts(filesTexts)
  useTitle(t[page])
  return (
    <>
      <PageHead title={t.title} lead={page === 'import' ? t.importLead : t.exportLead} />
      <Tabs label={t.title}>
        <Link to="/import" className={tabClass}>
          {t.import}
        </Link>
        <Link to="/export" className={tabClass}>
          {t.export}
        </Link>
      </Tabs>
    </>
  )
}

export function FilesCrumbs() {
  const t = useTexts(filesTexts)
  return <Crumbs path={[{ text: t.title }]} />
}
