import { Link } from '@tanstack/react-router'
import type { PageNamespace } from '../../app/namespace.ts'
import { buttonClass } from '../../components/button.tsx'
import { Empty, EmptyRail } from '../../components/empty.tsx'
import { useTexts } from '../../text/texts.ts'
import { consoleTexts } from './texts.ts'

/** There is nothing to ask yet. */
export function NoFlags({ namespace: { key, name } }: { readonly namespace: PageNamespace }) {
  const t = useTexts(consoleTexts)
  return (
    <Empty
      title={t.noFlags(name)}
      picture={<EmptyRail />}
      actions={
        <Link
          to="/ns/$namespaceKey/flags"
          params={{ namespaceKey: key }}
          search={{ new: 'boolean' }}
          className={buttonClass({ look: 'primary' })}
        >
          {t.newFlag}
        </Link>
      }
    >
      {t.noFlagsText}
    </Empty>
  )
}
