import { Link, Outlet, useParams } from '@tanstack/react-router'
import { Crumbs } from '../../app/crumbs.tsx'
import { usePageNamespace } from '../../app/namespace.ts'
import { useTitle } from '../../app/title.ts'
import { Page, PageHead } from '../../components/page.tsx'
import { Tabs, tabClass } from '../../components/tabs.tsx'
import { useTexts } from '../../text/texts.ts'
import { flagTexts } from './texts.ts'

export function FlagPage() {
  const t = useTexts(flagTexts)
  const { key, name } = usePageNamespace()
  const { flagKey } = useParams({ from: '/inside/ns/$namespaceKey/flags/$flagKey' })
  const params = { namespaceKey: key, flagKey }
  useTitle(flagKey, name)
  return (
    <>
      <Crumbs
        path={[
          { text: name, to: `/ns/${key}/flags` },
          { text: t.flags, to: `/ns/${key}/flags` },
          { text: flagKey },
        ]}
        live={key}
      />
      <Page>
        <PageHead title={flagKey} />
        <Tabs label={t.tabs}>
          <Link
            className={tabClass}
            to="/ns/$namespaceKey/flags/$flagKey"
            params={params}
            activeOptions={{ exact: true }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {t.targeting}
          </Link>
          <Link
            className={tabClass}
            to="/ns/$namespaceKey/flags/$flagKey/variants"
            params={params}
            activeProps={{ 'aria-current': 'page' }}
          >
            {t.variants}
          </Link>
          <Link
            className={tabClass}
            to="/ns/$namespaceKey/flags/$flagKey/history"
            params={params}
            activeProps={{ 'aria-current': 'page' }}
          >
            {t.history}
          </Link>
          <Link
            className={tabClass}
            to="/ns/$namespaceKey/flags/$flagKey/settings"
            params={params}
            activeProps={{ 'aria-current': 'page' }}
          >
            {t.settings}
          </Link>
        </Tabs>
        <Outlet />
      </Page>
    </>
  )
}
