import type { Segment } from '@svc/client/api'
import { lazy, Suspense, useRef, useState } from 'react'
import type { PageNamespace } from '../../app/namespace.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { Table, TableHead, Th } from '../../components/table.tsx'
import { useDraftKeys } from '../../data/drafts.ts'
import { useTexts } from '../../text/texts.ts'
import { SegmentRow } from './row.tsx'
import type { Sort } from './search.ts'
import { segmentsTexts } from './texts.ts'

const DeleteSegment = lazy(() => import('../../app/delete-segment/delete-segment.tsx'))
const YamlDialog = lazy(() => import('../../app/yaml/yaml-dialog.tsx'))

interface Props {
  readonly segments: readonly Segment[]
  readonly namespace: PageNamespace
  readonly sort: Sort
  readonly changed: ReadonlySet<string>
  readonly onSort: (sort: Sort) => void
}

/** A page of segments with its cursor. */
export function SegmentList({ segments, namespace, sort, changed, onSort }: Props) {
  const t = useTexts(segmentsTexts)
  const drafts = useDraftKeys(namespace.key, 'segment')
  const body = useRef<HTMLTableSectionElement>(null)
  const [cursor, setCursor] = useState<string>()
  const [doomed, setDoomed] = useState<Segment>()
  const [shown, setShown] = useState<Segment>()
  const place = segments.findIndex(({ key }) => key === cursor)
  const focusRow = (next: number) => {
    const links = body.current?.querySelectorAll<HTMLElement>('[data-row-link]')
    links?.[Math.max(0, Math.min(next, segments.length - 1))]?.focus()
  }
  const move = (step: number) =>
    focusRow(place === -1 ? (step > 0 ? 0 : segments.length - 1) : place + step)
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: place === -1 ? undefined : () => move(1),
    ArrowUp: place === -1 ? undefined : () => move(-1),
  })
  const sortOf = (up: Sort, down: Sort) =>
    sort === up ? 'ascending' : sort === down ? 'descending' : 'none'
  return (
    <>
      <Table label={t.title}>
        <TableHead>
          <Th
            sort={sortOf('name', '-name')}
            onSort={() => onSort(sort === 'name' ? '-name' : 'name')}
          >
            {t.segment}
          </Th>
          <Th>{t.members}</Th>
          <Th>{t.match}</Th>
          <Th>{t.usedBy}</Th>
          <Th
            className="max-lg:hidden"
            sort={sortOf('updatedAt', '-updatedAt')}
            onSort={() => onSort(sort === '-updatedAt' ? 'updatedAt' : '-updatedAt')}
          >
            {t.changed}
          </Th>
          <Th isTight>
            <span className="sr-only">{t.more}</span>
          </Th>
        </TableHead>
        <tbody ref={body} className="narrow:block">
          {segments.map((segment) => (
            <SegmentRow
              key={segment.key}
              segment={segment}
              namespace={namespace}
              isCursor={segment.key === cursor}
              isChanged={changed.has(segment.key)}
              hasDraft={drafts.has(segment.key)}
              onFocus={() => setCursor(segment.key)}
              onDelete={() => setDoomed(segment)}
              onYaml={() => setShown(segment)}
            />
          ))}
        </tbody>
      </Table>
      <Suspense fallback={null}>
        {doomed !== undefined && (
          <DeleteSegment
            namespace={namespace}
            segmentKey={doomed.key}
            name={doomed.name || doomed.key}
            onClose={() => setDoomed(undefined)}
            onDeleted={() => focusRow(segments.indexOf(doomed))}
          />
        )}
        {shown !== undefined && (
          <YamlDialog
            namespaceKey={namespace.key}
            kind="segment"
            objectKey={shown.key}
            name={shown.name || shown.key}
            onClose={() => setShown(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}
