import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { link } from '../../components/classes.ts'
import { Ask, Dialog } from '../../components/dialog.tsx'
import { Note } from '../../components/note.tsx'
import { Waiting } from '../../components/skeleton.tsx'
import { componentTexts } from '../../components/texts.ts'
import { NamespaceName } from '../../components/tile.tsx'
import { messageOf } from '../../data/errors.ts'
import { apply } from '../../data/flag-writes.ts'
import { flagsQuery } from '../../data/queries.ts'
import { Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { useOfflineReason } from '../banner.tsx'
import { useDone } from '../done.tsx'
import type { PageNamespace } from '../namespace.ts'
import { deleteSegmentTexts } from './texts.ts'

interface Props {
  readonly namespace: PageNamespace
  readonly segmentKey: string
  readonly name: string
  readonly onClose: () => void
  /** Leaves its page before all is read anew: that of what is gone would say that there is none. */
  readonly onLeave?: () => Promise<void>
  readonly onDeleted?: () => void
  /** After it was brought back. */
  readonly onUndone?: () => void
}

/** Flags that are named. */
const maxNamed = 10

/** Deletes a segment, or says which flags use it. */
export default function DeleteSegment({
  namespace,
  segmentKey,
  name,
  onClose,
  onLeave,
  onDeleted,
  onUndone,
}: Props) {
  const t = useTexts(deleteSegmentTexts)
  const c = useTexts(componentTexts)
  const { number } = useFormat()
  const done = useDone()
  const offlineReason = useOfflineReason()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const { data, error } = useQuery({
    ...flagsQuery({
      namespaceKey: namespace.key,
      segment: segmentKey,
      sort: 'name',
      limit: maxNamed,
    }),
    staleTime: 0,
  })
  const count = data?.totalCount ?? 0
  const remove = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      const { revision } = await apply(
        namespace.key,
        [{ kind: 'SEGMENT_KIND', key: segmentKey, delete: true }],
        { ...(onLeave && { onWritten: onLeave }) },
      )
      onClose()
      onDeleted?.()
      done(<Rich text={t.deleted(name, namespace.name)} />, {
        namespaceKey: namespace.key,
        revision,
        ...(onUndone && { onUndone }),
      })
    } catch (error) {
      setFailure(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  if (count > 0) {
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={t.blockedTitle(name)}
        footer={<Button onClick={onClose}>{c.close}</Button>}
      >
        <div className="grid gap-3 text-13">
          <p className="text-muted">{t.blocked(count, number(count))}</p>
          <ul className="rounded-3 border border-line bg-sunken px-4 py-2">
            {data?.flags.map(({ key, name }) => (
              <li key={key} className="truncate py-1">
                <Link
                  className={link}
                  to="/ns/$namespaceKey/flags/$flagKey"
                  params={{ namespaceKey: namespace.key, flagKey: key }}
                >
                  {name || key}
                </Link>{' '}
                <span className="font-mono text-12 text-muted">{key}</span>
              </li>
            ))}
            {count > maxNamed && (
              <li className="py-1">
                <Link
                  className={link}
                  to="/ns/$namespaceKey/flags"
                  params={{ namespaceKey: namespace.key }}
                  search={{ segment: segmentKey }}
                >
                  {t.more(number(count - maxNamed))}
                </Link>
              </li>
            )}
          </ul>
        </div>
      </Dialog>
    )
  }
  return (
    <Ask
      isOpen
      isDanger
      isBusy={isBusy}
      title={
        <>
          {t.title(name)} <NamespaceName namespace={namespace} />?
        </>
      }
      action={t.action}
      disabledReason={
        offlineReason ?? (data === undefined && error === null ? t.looking : undefined)
      }
      onClose={onClose}
      onConfirm={() => void remove()}
    >
      {failure !== undefined && <Note kind="failure">{failure}</Note>}
      {data === undefined && error === null ? (
        <Waiting>{t.looking}</Waiting>
      ) : (
        // Where it is not known who uses it, the service refuses what it has to.
        <p>{t.text}</p>
      )}
    </Ask>
  )
}
