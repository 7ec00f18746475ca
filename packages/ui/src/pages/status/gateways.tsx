import clsx from 'clsx'
import { Check, Clock, Unplug } from 'lucide-react'
import { MiddleCut } from '../../components/copy-key.tsx'
import { Icon } from '../../components/icon.tsx'
import { Table, TableHead, Td, Th, Tr } from '../../components/table.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { useDuration } from './duration.ts'
import { type GatewayLine, isOld, isSilent } from './health.ts'
import { statusTexts } from './texts.ts'

const icons = { fine: Check, behind: Clock, silent: Unplug, old: Unplug }

function stateOf(line: GatewayLine): keyof typeof icons {
  if (isSilent(line)) return 'silent'
  if (isOld(line)) return 'old'
  return line.isBehind ? 'behind' : 'fine'
}

export function GatewayTable({ lines }: { readonly lines: readonly GatewayLine[] }) {
  const t = useTexts(statusTexts)
  const { number, dateTime } = useFormat()
  const duration = useDuration()
  const now = Date.now()
  return (
    <Table label={t.gateways}>
      <TableHead>
        <Th>{t.gateway}</Th>
        <Th>{t.revision}</Th>
        <Th>{t.arrivedAfter}</Th>
        <Th>{t.up}</Th>
        <Th isEnd>{t.report}</Th>
      </TableHead>
      <tbody className="narrow:block">
        {lines.map((line) => {
          const { id, version, revision, ms, startedAt, seenMsAgo } = line
          const state = stateOf(line)
          const isFine = state === 'fine'
          return (
            <Tr key={id} needsAttention={!isFine} className="narrow:grid-cols-[minmax(0,1fr)_auto]">
              <Td className="md:max-w-0 md:min-w-44">
                <span className="flex min-w-0 items-center gap-2">
                  <Icon of={icons[state]} className={isFine ? 'text-on' : 'text-draft'} />
                  <MiddleCut text={id} className="font-mono text-12" />
                  <span className="text-12 text-muted">{version}</span>
                </span>
              </Td>
              <Td className={clsx(!isFine && 'text-draft')}>
                {revision === undefined ? '–' : number(revision)}
                <span className={isFine ? 'sr-only' : ''}>, {t.state[state]}</span>
              </Td>
              <Td className="narrow:text-muted">
                <span className="md:sr-only lg:hidden">{t.arrivedAfter}: </span>
                {ms === undefined ? t.notKnown : `${number(Math.round(ms))} ms`}
              </Td>
              <Td className="text-12 text-muted narrow:hidden!">
                {startedAt === undefined ? (
                  '–'
                ) : (
                  <time dateTime={startedAt} title={dateTime(startedAt)}>
                    {duration(now - Date.parse(startedAt))}
                  </time>
                )}
              </Td>
              <Td isEnd className="text-12 text-muted">
                {t.ago(duration(seenMsAgo))}
              </Td>
            </Tr>
          )
        })}
      </tbody>
    </Table>
  )
}
