import type { FlagDocument, SegmentDocument } from '@svc/client/api'
import { use, useMemo } from 'react'
import { LineDiff } from '../components/diff.tsx'
import { diffLines } from '../components/line-diff.ts'
import { toYaml } from '../data/yaml.ts'

interface Props {
  readonly before: FlagDocument | SegmentDocument
  readonly after: FlagDocument | SegmentDocument
  readonly label: string
}

/** What a draft changes, as lines of YAML. */
export default function YamlDiff({ before, after, label }: Props) {
  const texts = useMemo(() => Promise.all([toYaml(before), toYaml(after)]), [before, after])
  const [was, is] = use(texts)
  return <LineDiff lines={diffLines(was.trimEnd(), is.trimEnd())} label={label} />
}
