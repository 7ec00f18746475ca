import type { ChangeItem } from '@svc/client/api'
import clsx from 'clsx'
import { ChevronDown } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Badge } from '../../components/chip.tsx'
import { Icon } from '../../components/icon.tsx'
import { Table, TableHead, Td, Th, Tr } from '../../components/table.tsx'
import { useTeller } from '../../history/teller.ts'
import { objectMark, tellItem } from '../../history/telling.ts'
import { bold, Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { type ImportChoices, type ImportRow, standingOf } from './import-rows.ts'
import { filesTexts } from './texts.ts'

const ItemDiff = lazy(async () => ({
  default: (await import('../../history/item-diff.tsx')).ItemDiff,
}))

/** Rows that are shown; the numbers above are of all. */
const maxRows = 200

interface Props {
  readonly namespaceKey: string
  readonly rows: readonly ImportRow[]
  readonly choices: ImportChoices
}

/** What becomes of each object, in words; each opens to its differences. What is the same is left out. */
export function ImportTable({ namespaceKey, rows, choices }: Props) {
  const t = useTexts(filesTexts)
  const { number } = useFormat()
  const shown = rows.filter((row) => standingOf(row) !== 'same')
  if (shown.length === 0) return <p className="text-muted">{t.nothing}</p>
  return (
    <>
      <Table label={t.words}>
        <TableHead>
          <Th className="w-24">{t.does}</Th>
          <Th>{t.what}</Th>
          <Th>{t.words}</Th>
          <Th isTight>
            <span className="sr-only">{t.words}</span>
          </Th>
        </TableHead>
        <tbody className="narrow:block">
          {shown.slice(0, maxRows).map((row) => (
            <ImportTableRow
              key={`${row.kind} ${row.key}`}
              namespaceKey={namespaceKey}
              row={row}
              choices={choices}
            />
          ))}
        </tbody>
      </Table>
      {shown.length > maxRows && (
        <p className="text-12 text-muted">{t.moreRows(number(shown.length - maxRows))}</p>
      )}
    </>
  )
}

interface RowProps {
  readonly namespaceKey: string
  readonly row: ImportRow
  readonly choices: ImportChoices
}

function ImportTableRow({ namespaceKey, row, choices: { keeps, deletes } }: RowProps) {
  const t = useTexts(filesTexts)
  const teller = useTeller(namespaceKey, true)
  const [isOpen, setOpen] = useState(false)
  const standing = standingOf(row)
  const name = (row.after ?? row.before)?.name || row.key
  const item = toItem(row)
  const isKept = standing === 'changed' && keeps
  const isDeleted = standing === 'only here' && deletes
  const [look, word] =
    standing === 'new'
      ? (['on', t.counts.new] as const)
      : isDeleted
        ? (['danger', t.deleted] as const)
        : isKept
          ? (['plain', t.kept] as const)
          : standing === 'changed'
            ? (['draft', t.counts.changed] as const)
            : (['plain', t.counts['only here']] as const)
  const words =
    standing === 'new'
      ? t.isMade
      : isDeleted
        ? t.isDeleted
        : isKept
          ? t.stays
          : standing === 'only here'
            ? t.staysUnless
            : upperFirst(tellItem(item, teller).replace(objectMark, bold(name)))
  return (
    <>
      <Tr className="narrow:grid-cols-[minmax(0,1fr)_auto]">
        <Td className="narrow:col-span-2">
          <Badge look={look}>{word}</Badge>
        </Td>
        <Td>
          <span className="block font-medium wrap-anywhere">
            {row.kind === 'flag' ? t.flag : t.segment} {name}
          </span>
          <span className="block font-mono text-12 text-muted wrap-anywhere">{row.key}</span>
        </Td>
        <Td className="text-muted wrap-anywhere narrow:col-span-2 narrow:row-start-3">
          <Rich text={words} />
        </Td>
        <Td isEnd>
          <Button
            look="quiet"
            size="small"
            isIcon
            aria-expanded={isOpen}
            aria-label={t.details(name)}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon of={ChevronDown} small className={clsx(isOpen && 'rotate-180')} />
          </Button>
        </Td>
      </Tr>
      {isOpen && (
        <tr className="border-b border-line narrow:block">
          <td colSpan={4} className="px-4 py-4 narrow:block">
            <Suspense fallback={null}>
              <ItemDiff item={item} namespaceKey={namespaceKey} />
            </Suspense>
          </td>
        </tr>
      )}
    </>
  )
}

const actions = {
  new: 'CREATED_ACTION',
  changed: 'UPDATED_ACTION',
  same: 'UNCHANGED_ACTION',
  'only here': 'DELETED_ACTION',
} as const

/** As the log would have it. */
function toItem(row: ImportRow): ChangeItem {
  const { kind, key, before, after, changes } = row
  return {
    kind: kind === 'flag' ? 'FLAG_KIND' : 'SEGMENT_KIND',
    key,
    action: actions[standingOf(row)],
    changes,
    ...(before !== undefined && { before: JSON.stringify(before) }),
    ...(after !== undefined && { after: JSON.stringify(after) }),
  } as ChangeItem
}

function upperFirst(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1)
}
