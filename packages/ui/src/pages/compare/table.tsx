import type { Content } from '@svc/documents'
import { Checkbox } from '../../components/checkbox.tsx'
import { Badge } from '../../components/chip.tsx'
import { Table, TableHead, Td, Th, Tr } from '../../components/table.tsx'
import { NamespaceName, type Tile } from '../../components/tile.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { type CompareRow, canTake, type Standing } from './rows.ts'
import { FlagServes, SegmentHolds } from './state.tsx'
import { compareTexts } from './texts.ts'

type Named = Parameters<typeof Tile>[0]['namespace']

/** Rows that are shown: what differs comes first. */
const maxRows = 300

const looks: Readonly<Record<Standing, 'plain' | 'on' | 'draft'>> = {
  differs: 'draft',
  new: 'on',
  same: 'plain',
  'only there': 'plain',
}

interface Props {
  readonly kind: 'flag' | 'segment'
  readonly rows: readonly CompareRow[]
  readonly source: Content
  readonly target: Content
  readonly from: Named
  readonly to: Named
  readonly chosen: readonly string[]
  readonly onChoose: (keys: readonly string[]) => void
}

/** The flags or the segments of both, side by side. */
export function CompareTable({ kind, rows, source, target, from, to, chosen, onChoose }: Props) {
  const t = useTexts(compareTexts)
  const { number } = useFormat()
  if (rows.length === 0) return <p className="text-muted">{t.nothingThere}</p>
  const keys = new Set(chosen)
  const takable = rows.filter(canTake).map(({ key }) => key)
  const isAll = takable.length > 0 && takable.every((key) => keys.has(key))
  const choose = (key: string, isChosen: boolean) =>
    onChoose(isChosen ? [...chosen, key] : chosen.filter((one) => one !== key))
  return (
    <>
      <Table label={kind === 'flag' ? t.flags : t.segments}>
        <TableHead>
          <Th isTight className="leading-none">
            {takable.length > 0 && (
              <Checkbox
                isChecked={isAll}
                isMixed={!isAll && chosen.length > 0}
                name={t.all}
                onChange={(checked) => onChoose(checked ? takable : [])}
              />
            )}
          </Th>
          <Th>{kind === 'flag' ? t.flag : t.segment}</Th>
          <Th>
            <NamespaceName namespace={from} />
          </Th>
          <Th>
            <span className="sr-only">{t.differ}</span>
          </Th>
          <Th>
            <NamespaceName namespace={to} />
          </Th>
        </TableHead>
        <tbody className="narrow:block">
          {rows.slice(0, maxRows).map((row) => (
            <Tr
              key={row.key}
              isSelected={keys.has(row.key)}
              className="narrow:grid-cols-[auto_minmax(0,1fr)_auto]"
            >
              <Td isTight className="leading-none">
                {canTake(row) && (
                  <Checkbox
                    isChecked={keys.has(row.key)}
                    name={t.take(row.name)}
                    onChange={(checked) => choose(row.key, checked)}
                  />
                )}
              </Td>
              <Td>
                <span className="block font-medium wrap-anywhere">{row.name}</span>
                <span className="block font-mono text-12 text-muted wrap-anywhere">{row.key}</span>
              </Td>
              <Td className="narrow:col-start-2 narrow:row-start-2">
                <Side row={row} of="source" content={source} missing={t.notHere} name={from} />
              </Td>
              <Td className="narrow:col-start-3 narrow:row-start-1">
                <Badge look={looks[row.standing]}>{t.standings[row.standing]}</Badge>
              </Td>
              <Td className="narrow:col-start-2 narrow:row-start-3">
                <Side row={row} of="target" content={target} missing={t.notThere} name={to} />
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
      {rows.length > maxRows && (
        <p className="mt-2 text-12 text-muted">{t.moreRows(number(rows.length - maxRows))}</p>
      )}
    </>
  )
}

interface SideProps {
  readonly row: CompareRow
  readonly of: 'source' | 'target'
  readonly content: Content
  readonly missing: string
  readonly name: Named
}

/** What one of the two has. On a narrow screen its name stands before it. */
function Side({ row, of, content, missing, name }: SideProps) {
  const document = row[of]
  return (
    <span className="flex items-baseline gap-2">
      <span className="hidden flex-none text-12 narrow:inline">
        <NamespaceName namespace={name} />
      </span>
      {document === undefined ? (
        <span className="text-12 text-muted">{missing}</span>
      ) : 'constraints' in document ? (
        <SegmentHolds segment={document} />
      ) : (
        <FlagServes flag={document} content={content} />
      )}
    </span>
  )
}
