import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Crumbs } from '../../app/crumbs.tsx'
import { usePageNamespace } from '../../app/namespace.ts'
import { PageError } from '../../app/page-error.tsx'
import { useTitle } from '../../app/title.ts'
import { buttonClass } from '../../components/button.tsx'
import { Empty, EmptyRail } from '../../components/empty.tsx'
import { Note } from '../../components/note.tsx'
import { Page } from '../../components/page.tsx'
import { Bone, SkeletonRows, Waiting } from '../../components/skeleton.tsx'
import { failureOf } from '../../data/errors.ts'
import { useLive } from '../../data/live.ts'
import { segmentDocumentQuery } from '../../data/queries.ts'
import { touches } from '../../data/touched.ts'
import { useTexts } from '../../text/texts.ts'
import { SegmentEditor } from './editor.tsx'
import { segmentTexts } from './texts.ts'

export function SegmentPage() {
  const t = useTexts(segmentTexts)
  const namespace = usePageNamespace()
  const { segmentKey } = useParams({ from: '/inside/ns/$namespaceKey/segments/$segmentKey' })
  const { data, error, refetch } = useQuery(segmentDocumentQuery(namespace.key, segmentKey))
  const name = data?.value.segment.name || segmentKey
  const isGone = error !== null && failureOf(error).kind === 'missing'
  useTitle(name, namespace.name, t.segments)

  // What others change is read at once: a draft stays on what it was made from.
  const live = useLive(namespace.key)
  const isNews = live.news.some((change) => touches(change, 'SEGMENT_KIND', segmentKey))
  useEffect(() => {
    if (!isNews) return
    live.show()
    refetch().catch(() => {})
  }, [isNews, live.show, refetch])

  return (
    <>
      <Crumbs
        path={[
          { text: namespace.name, to: `/ns/${namespace.key}/flags` },
          { text: t.segments, to: `/ns/${namespace.key}/segments` },
          { text: name },
        ]}
        live={namespace.key}
      />
      <Page>
        {isGone && data !== undefined && (
          <div className="mb-6">
            <Note kind="attention">{t.gone(name)}</Note>
          </div>
        )}
        {data !== undefined ? (
          <SegmentEditor
            key={segmentKey}
            namespace={namespace}
            stored={data.value}
            etag={data.etag}
          />
        ) : error === null ? (
          <Waiting>
            <div className="mb-6 grid gap-3">
              <Bone width="w-56" className="h-5!" />
              <Bone width="w-96" />
            </div>
            <SkeletonRows count={4} />
          </Waiting>
        ) : isGone ? (
          <Empty
            isPage
            title={t.missingTitle(segmentKey, namespace.name)}
            picture={<EmptyRail />}
            actions={
              <>
                <Link
                  to="/ns/$namespaceKey/segments"
                  params={{ namespaceKey: namespace.key }}
                  className={buttonClass({ look: 'primary' })}
                >
                  {t.toSegments}
                </Link>
                <Link
                  to="/ns/$namespaceKey/segments"
                  params={{ namespaceKey: namespace.key }}
                  search={{ q: segmentKey, new: true }}
                  className={buttonClass()}
                >
                  {t.createIt(segmentKey)}
                </Link>
              </>
            }
          >
            {t.missingText}
          </Empty>
        ) : (
          <PageError error={error} reset={() => void refetch()} />
        )}
      </Page>
    </>
  )
}
