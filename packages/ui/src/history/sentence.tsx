import type { Change, ChangeItem } from '@svc/client/api'
import { Link } from '@tanstack/react-router'
import { link } from '../components/classes.ts'
import { Rich } from '../text/rich.tsx'
import { useFormat, useTexts } from '../text/texts.ts'
import { nameOf } from './documents.ts'
import { objectMark, tellChange } from './telling.ts'
import { historyPartTexts } from './texts.ts'
import { whoOf } from './who.ts'

interface Props {
  readonly change: Change
  readonly namespaceKey: string
  /** On the page of the object, which does not name it. */
  readonly isOwn?: boolean
}

/** Who did what, in one sentence. The object in it is a link. */
export function Sentence({ change, namespaceKey, isOwn = false }: Props) {
  const t = useTexts(historyPartTexts)
  const format = useFormat()
  const { text, item } = tellChange(change, { t, format, namespaceKey, isOwn })
  const [before = '', after = ''] = text.split(objectMark)
  return (
    <span className="text-13 wrap-anywhere">
      <b>{whoOf(change.actor, t).name}</b> <Rich text={before} />
      {item !== undefined && text.includes(objectMark) && (
        <ObjectLink item={item} namespaceKey={namespaceKey} />
      )}
      <Rich text={after} />
    </span>
  )
}

interface LinkProps {
  readonly item: ChangeItem
  readonly namespaceKey: string
}

/** The name of an object, which leads to it while it is there. */
export function ObjectLink({ item, namespaceKey }: LinkProps) {
  const name = nameOf(item)
  if (item.action === 'DELETED_ACTION') return <b>{name}</b>
  if (item.kind === 'FLAG_KIND') {
    const params = { namespaceKey, flagKey: item.key }
    return (
      <Link to="/ns/$namespaceKey/flags/$flagKey" params={params} className={link}>
        {name}
      </Link>
    )
  }
  if (item.kind === 'SEGMENT_KIND') {
    const params = { namespaceKey, segmentKey: item.key }
    return (
      <Link to="/ns/$namespaceKey/segments/$segmentKey" params={params} className={link}>
        {name}
      </Link>
    )
  }
  return <b>{name}</b>
}
