import type { FlagDocument, SegmentDocument } from '@svc/client/api'
import { useEffect, useState } from 'react'
import { LineDiff } from '../components/diff.tsx'
import { type DiffLine, diffLines } from '../components/line-diff.ts'
import { Waiting } from '../components/skeleton.tsx'
import { toYaml } from '../data/yaml.ts'

interface Props {
  readonly before: FlagDocument | SegmentDocument
  readonly after: FlagDocument | SegmentDocument
  readonly label: string
}

/** What a draft changes, as lines of YAML. */
export default function YamlDiff({ before, after, label }: Props) {
  const [lines, setLines] = useState<readonly DiffLine[]>()
  useEffect(() => {
    let isOver = false
    Promise.all([toYaml(before), toYaml(after)]).then(
      ([was, is]) => {
        if (!isOver) setLines(diffLines(was.trimEnd(), is.trimEnd()))
      },
      () => {},
    )
    return () => {
      isOver = true
    }
  }, [before, after])
  return lines === undefined ? <Waiting>{null}</Waiting> : <LineDiff lines={lines} label={label} />
}
