import type { FlagDocument, SegmentDocument } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Code } from '../../components/code.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Note } from '../../components/note.tsx'
import { Bone, Waiting } from '../../components/skeleton.tsx'
import { flagDocumentQuery, segmentDocumentQuery } from '../../data/queries.ts'
import { toYaml } from '../../data/yaml.ts'
import { useTexts } from '../../text/texts.ts'
import { PageError } from '../page-error.tsx'
import { yamlTexts } from './texts.ts'

interface Props {
  readonly namespaceKey: string
  readonly kind: 'flag' | 'segment'
  readonly objectKey: string
  readonly name: string
  readonly onClose: () => void
}

/** A flag or segment as YAML, to look at and to copy: as it is saved. */
export default function YamlDialog({ namespaceKey, kind, objectKey, name, onClose }: Props) {
  const t = useTexts(yamlTexts)
  const flag = useQuery({
    ...flagDocumentQuery(namespaceKey, objectKey),
    enabled: kind === 'flag',
  })
  const segment = useQuery({
    ...segmentDocumentQuery(namespaceKey, objectKey),
    enabled: kind === 'segment',
  })
  const { error, refetch } = kind === 'flag' ? flag : segment
  const document = kind === 'flag' ? flag.data?.value.flag : segment.data?.value.segment
  return (
    <Dialog isOpen size="wide" onClose={onClose} title={t.title(name)}>
      {document !== undefined ? (
        <Yaml document={document} label={t.title(name)} />
      ) : error === null ? (
        <Waiting>
          <Bones />
        </Waiting>
      ) : (
        <PageError isPage={false} error={error} reset={() => void refetch()} />
      )}
    </Dialog>
  )
}

function Yaml({
  document,
  label,
}: {
  readonly document: FlagDocument | SegmentDocument
  readonly label: string
}) {
  const t = useTexts(yamlTexts)
  const { data, isError } = useQuery({
    queryKey: ['yaml', document],
    queryFn: () => toYaml(document),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (isError) return <Note kind="failure">{t.failed}</Note>
  if (data === undefined)
    return (
      <Waiting>
        <Bones />
      </Waiting>
    )
  return <Code text={data} label={label} className="[&_pre]:max-h-[60dvh]" />
}

function Bones() {
  return (
    <div className="grid gap-3 py-4">
      <Bone width="w-40" />
      <Bone width="w-56" />
      <Bone width="w-48" />
    </div>
  )
}
