import type { SegmentDocument, StoredSegment } from '@svc/client/api'
import { useNavigate } from '@tanstack/react-router'
import { Copy, Ellipsis, FileText, Pencil, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useOfflineReason } from '../../app/banner.tsx'
import type { PageNamespace } from '../../app/namespace.ts'
import { useMounted } from '../../app/use-mounted.ts'
import { Button } from '../../components/button.tsx'
import { Badge } from '../../components/chip.tsx'
import { CopyKey, useCopyToast } from '../../components/copy-key.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx'
import { PageHead } from '../../components/page.tsx'
import { componentTexts } from '../../components/texts.ts'
import { queryClient } from '../../data/api.ts'
import { segmentDocumentQuery } from '../../data/queries.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { segmentTexts } from './texts.ts'

const DeleteSegment = lazy(() => import('../../app/delete-segment/delete-segment.tsx'))
const Details = lazy(() => import('./details.tsx'))
const YamlDialog = lazy(() => import('../../app/yaml/yaml-dialog.tsx'))

interface Props {
  readonly namespace: PageNamespace
  readonly stored: StoredSegment
  readonly usedBy: number
  readonly onSaved: (segment: SegmentDocument, etag: string | undefined) => void
}

/** What a segment is called, and what can be done with it. */
export function SegmentHead({ namespace, stored, usedBy, onSaved }: Props) {
  const t = useTexts(segmentTexts)
  const c = useTexts(componentTexts)
  const { number } = useFormat()
  const navigate = useNavigate()
  const isMounted = useMounted()
  const offlineReason = useOfflineReason()
  const [shown, setShown] = useState<'details' | 'yaml' | 'delete'>()
  const { key, name, description } = stored.segment
  const title = name || key
  const close = () => setShown(undefined)
  const params = { namespaceKey: namespace.key, segmentKey: key }
  const copyToast = useCopyToast()
  return (
    <>
      <PageHead
        title={title}
        beside={
          <>
            <CopyKey text={key} />
            {usedBy > 0 && <Badge>{t.usedBy(usedBy, number(usedBy))}</Badge>}
            {stored.managedBy !== '' && <Badge>{t.managedBy(stored.managedBy)}</Badge>}
          </>
        }
        lead={description === '' ? undefined : description}
        actions={
          <>
            <Button onClick={() => setShown('details')} disabledReason={offlineReason}>
              <Icon of={Pencil} />
              {t.editDetails}
            </Button>
            <Menu
              trigger={
                <Button isIcon aria-label={c.more(title)}>
                  <Icon of={Ellipsis} />
                </Button>
              }
            >
              <MenuItem icon={Copy} onSelect={() => copyToast(key, t.copied(key))}>
                {t.copyKey}
              </MenuItem>
              <MenuItem icon={FileText} onSelect={() => setShown('yaml')}>
                {t.yaml}
              </MenuItem>
              <MenuLine />
              <MenuItem
                icon={Trash2}
                isDanger
                onSelect={() => setShown('delete')}
                disabledReason={offlineReason}
              >
                {t.delete}
              </MenuItem>
            </Menu>
          </>
        }
      />
      <Suspense fallback={null}>
        {shown === 'details' && (
          <Details
            namespace={namespace}
            segment={stored.segment}
            onClose={close}
            onSaved={onSaved}
          />
        )}
        {shown === 'yaml' && (
          <YamlDialog
            namespaceKey={namespace.key}
            kind="segment"
            objectKey={key}
            name={title}
            onClose={close}
          />
        )}
        {shown === 'delete' && (
          <DeleteSegment
            namespace={namespace}
            segmentKey={key}
            name={title}
            onClose={close}
            onLeave={async () => {
              if (isMounted()) await navigate({ to: '/ns/$namespaceKey/segments', params })
              queryClient.removeQueries(segmentDocumentQuery(namespace.key, key))
            }}
            onUndone={() => void navigate({ to: '/ns/$namespaceKey/segments/$segmentKey', params })}
          />
        )}
      </Suspense>
    </>
  )
}
