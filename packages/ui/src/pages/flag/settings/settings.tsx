import { lazy, Suspense, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { SettingRow } from '../../../components/card.tsx'
import { stopOf } from '../../../data/stop.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { About } from './about.tsx'
import { flagSettingsTexts } from './texts.ts'

const DeleteFlag = lazy(() => import('./delete-flag.tsx'))
const Duplicate = lazy(() => import('../head/duplicate.tsx'))
const YamlDialog = lazy(() => import('../../../app/yaml/yaml-dialog.tsx'))

export function FlagSettingsPage() {
  const t = useTexts(flagSettingsTexts)
  const { namespace, flag, name, readOnlyReason, doAtOnce } = useFlag()
  const [shown, setShown] = useState<'duplicate' | 'yaml' | 'delete'>()
  const close = () => setShown(undefined)
  const isStopped = stopOf(flag) !== undefined
  return (
    <div className="grid max-w-form gap-10">
      <About />
      <section className="grid gap-3">
        <h2>{t.elsewhere}</h2>
        <div className="rounded-3 border border-line bg-raised">
          <SettingRow title={t.duplicate} help={t.duplicateHelp}>
            <Button
              aria-haspopup="dialog"
              onClick={() => setShown('duplicate')}
              disabledReason={readOnlyReason}
            >
              {t.duplicateAction}
            </Button>
          </SettingRow>
          <SettingRow title={t.yaml} help={t.yamlHelp}>
            <Button aria-haspopup="dialog" onClick={() => setShown('yaml')}>
              {t.yamlAction}
            </Button>
          </SettingRow>
        </div>
      </section>
      <section className="grid gap-3">
        <h2 className="text-danger">{t.danger}</h2>
        <div className="rounded-3 border border-danger-line bg-raised">
          {flag.type === 'BOOLEAN_FLAG_TYPE' && (
            <SettingRow title={t.stop} help={t.stopHelp}>
              <Button
                look="danger"
                onClick={() => doAtOnce('stop')}
                disabledReason={isStopped ? t.isStopped : readOnlyReason}
              >
                {t.stopAction}
              </Button>
            </SettingRow>
          )}
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
        {shown === 'duplicate' && <Duplicate onClose={close} />}
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
