import type { FlagDocument } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useOfflineReason } from '../../../app/banner.tsx'
import { type PageNamespace, usePageNamespace } from '../../../app/namespace.ts'
import { PageError } from '../../../app/page-error.tsx'
import { Button } from '../../../components/button.tsx'
import { SettingRow } from '../../../components/card.tsx'
import { SkeletonRows, Waiting } from '../../../components/skeleton.tsx'
import { flagDocumentQuery } from '../../../data/queries.ts'
import { useTexts } from '../../../text/texts.ts'
import { About } from './about.tsx'
import { flagSettingsTexts } from './texts.ts'

const DeleteFlag = lazy(() => import('./delete-flag.tsx'))
const YamlDialog = lazy(() => import('../../../app/yaml/yaml-dialog.tsx'))

export function FlagSettingsPage() {
  const namespace = usePageNamespace()
  const { flagKey } = useParams({ from: '/inside/ns/$namespaceKey/flags/$flagKey/settings' })
  const { data, error, refetch } = useQuery(flagDocumentQuery(namespace.key, flagKey))
  if (data !== undefined) return <Settings namespace={namespace} flag={data.value.flag} />
  return error === null ? (
    <Waiting>
      <SkeletonRows count={4} />
    </Waiting>
  ) : (
    <PageError isPage={false} error={error} reset={() => void refetch()} />
  )
}

interface Props {
  readonly namespace: PageNamespace
  readonly flag: FlagDocument
}

function Settings({ namespace, flag }: Props) {
  const t = useTexts(flagSettingsTexts)
  const readOnlyReason = useOfflineReason()
  const [shown, setShown] = useState<'yaml' | 'delete'>()
  const close = () => setShown(undefined)
  const name = flag.name || flag.key
  return (
    <div className="grid max-w-form gap-10">
      <About namespace={namespace} flag={flag} readOnlyReason={readOnlyReason} />
      <section className="grid gap-3">
        <h2>{t.elsewhere}</h2>
        <div className="rounded-3 border border-line bg-raised">
          <SettingRow title={t.yaml} help={t.yamlHelp}>
            <Button onClick={() => setShown('yaml')}>{t.yamlAction}</Button>
          </SettingRow>
        </div>
      </section>
      <section className="grid gap-3">
        <h2 className="text-danger">{t.danger}</h2>
        <div className="rounded-3 border border-danger-line bg-raised">
          <SettingRow title={t.delete} help={t.deleteHelp}>
            <Button
              look="danger"
              aria-haspopup="dialog"
              onClick={() => setShown('delete')}
              disabledReason={readOnlyReason}
            >
              {t.deleteAction}
            </Button>
          </SettingRow>
        </div>
      </section>
      <Suspense fallback={null}>
        {shown === 'yaml' && (
          <YamlDialog
            namespaceKey={namespace.key}
            kind="flag"
            objectKey={flag.key}
            name={name}
            onClose={close}
          />
        )}
        {shown === 'delete' && <DeleteFlag namespace={namespace} flag={flag} onClose={close} />}
      </Suspense>
    </div>
  )
}
