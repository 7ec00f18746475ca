import type { VariantDocument } from '@svc/client/api'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button, buttonClass } from '../../../components/button.tsx'
import { link } from '../../../components/classes.ts'
import { Empty, EmptyRail } from '../../../components/empty.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Note } from '../../../components/note.tsx'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import type { VariantsSearch } from './search.ts'
import { VariantTable } from './table.tsx'
import { variantsTexts } from './texts.ts'

const DeleteVariant = lazy(() => import('./delete-variant.tsx'))
const MakeDefault = lazy(() => import('./make-default.tsx'))
const VariantPanel = lazy(() => import('./panel.tsx'))

const from = '/inside/ns/$namespaceKey/flags/$flagKey/variants'

export function VariantsPage() {
  const t = useTexts(variantsTexts)
  const { namespace, flag, etag, readOnlyReason } = useFlag()
  const search = useSearch({ from })
  const navigate = useNavigate({ from: '/ns/$namespaceKey/flags/$flagKey/variants' })
  const [doomed, setDoomed] = useState<string>()
  const [wanted, setWanted] = useState<string>()
  /** As it was when it was opened: it stays open when others rename or delete it. */
  const [opened, setOpened] = useState<VariantDocument>()
  const params = { namespaceKey: namespace.key, flagKey: flag.key }
  const show = (search: VariantsSearch) => {
    navigate({ to: '.', search, replace: true }).catch(() => {})
  }
  const read = { flag, etag }
  if (flag.type === 'BOOLEAN_FLAG_TYPE' && flag.variants.length === 0) {
    return (
      <Empty
        title={t.booleanTitle}
        actions={
          <Link to="/ns/$namespaceKey/flags/$flagKey" params={params} className={buttonClass()}>
            {t.toTargeting}
          </Link>
        }
      >
        {t.booleanText}
      </Empty>
    )
  }
  const found = flag.variants.find(({ key }) => key === search.variant)
  if (opened?.key !== search.variant && opened !== found) setOpened(found)
  const add = () => show({ new: true })
  return (
    <>
      {flag.variants.length === 0 ? (
        <Empty
          title={t.emptyTitle}
          picture={<EmptyRail />}
          actions={
            <Button look="primary" onClick={add} disabledReason={readOnlyReason}>
              {t.addFirst}
            </Button>
          }
        >
          {t.emptyText}
        </Empty>
      ) : (
        <div className="grid gap-3">
          <div className="flex flex-wrap items-center gap-3">
            <p className="min-w-48 flex-1 text-13 text-muted">{t.lead}</p>
            <Button onClick={add} disabledReason={readOnlyReason}>
              <Icon of={Plus} />
              {t.add}
            </Button>
          </div>
          <VariantTable
            flag={flag}
            openKey={search.variant}
            readOnlyReason={readOnlyReason}
            onOpen={(key) => show({ variant: key })}
            onDelete={setDoomed}
            onMakeDefault={setWanted}
          />
          {!flag.variants.some((variant) => variant.default) && (
            <Note kind="attention">{t.noDefault}</Note>
          )}
          <Note>
            <span className="text-muted">
              {t.deleteNote}{' '}
              <Link className={link} to="/ns/$namespaceKey/flags/$flagKey" params={params}>
                {t.targeting}
              </Link>
              .
            </span>
          </Note>
        </div>
      )}
      <Suspense fallback={null}>
        {(search.new === true || opened !== undefined) && (
          <VariantPanel
            key={search.new === true ? 'new' : `variant ${opened?.id}`}
            read={read}
            variant={search.new === true ? undefined : (found ?? opened)}
            onClose={() => show({})}
          />
        )}
        {doomed !== undefined && (
          <DeleteVariant read={read} variantKey={doomed} onClose={() => setDoomed(undefined)} />
        )}
        {wanted !== undefined && (
          <MakeDefault read={read} variantKey={wanted} onClose={() => setWanted(undefined)} />
        )}
      </Suspense>
    </>
  )
}
