import type { Event } from '@svc/client/api'
import clsx from 'clsx'
import { ChevronDown, ChevronRight, ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Facts } from '../../components/card.tsx'
import { CopyKey } from '../../components/copy-key.tsx'
import { Icon } from '../../components/icon.tsx'
import { Avatar } from '../../components/person.tsx'
import { Td, Tr } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { Rich } from '../../text/rich.tsx'
import { useFormat, useTexts } from '../../text/texts.ts'
import { isRefusal, tellEvent, whoOf } from './telling.ts'
import { auditTexts } from './texts.ts'

interface Props {
  readonly event: Event
  readonly isOpen: boolean
  readonly actions: ReactNode
  readonly onToggle: () => void
}

export function EventRow({ event, isOpen, actions, onToggle }: Props) {
  const t = useTexts(auditTexts)
  const format = useFormat()
  const { at, address, actorId } = event
  const number = format.number(event.number)
  return (
    <Tr
      className={clsx(
        'align-top narrow:grid-cols-[minmax(0,1fr)_auto] narrow:items-start!',
        isOpen && 'bg-sunken hover:bg-sunken!',
      )}
    >
      <Td className="w-30 py-4! align-top! text-12 text-muted narrow:hidden!">
        <Time at={at} />
      </Td>
      <Td className="py-3.75! align-top! narrow:py-0! md:w-full md:max-w-0">
        <div className="flex min-w-0 gap-2">
          {isRefusal(event) ? (
            <span className="grid size-5.5 flex-none place-items-center text-danger">
              <Icon of={ShieldAlert} />
            </span>
          ) : (
            <Avatar name={whoOf(event, t)} isBot={actorId === 'system'} />
          )}
          <div className="min-w-0 flex-1 pt-px">
            <span className="text-13 wrap-anywhere">
              <Rich text={tellEvent(event, t, format)} />
            </span>
            <span className="block text-12 text-muted md:hidden">
              <Time at={at} />
              {address !== '' && ` · ${address}`}
            </span>
            {isOpen && <Details event={event} actions={actions} />}
          </div>
        </div>
      </Td>
      <Td className="py-4! align-top! font-mono text-12 whitespace-nowrap text-muted narrow:hidden!">
        {address || '–'}
      </Td>
      <Td isEnd isTight className="py-3.5! align-top! pe-2! narrow:py-0!">
        <Button
          look="quiet"
          size="small"
          isIcon
          data-row-toggle=""
          aria-expanded={isOpen}
          aria-label={(isOpen ? t.hide : t.show)(number)}
          onClick={onToggle}
        >
          <Icon of={isOpen ? ChevronDown : ChevronRight} small />
        </Button>
      </Td>
    </Tr>
  )
}

/** Members that are instants. */
const instants: ReadonlySet<string> = new Set(['expiresAt', 'previousUntil'])

function Details({ event, actions }: { readonly event: Event; readonly actions: ReactNode }) {
  const t = useTexts(auditTexts)
  const format = useFormat()
  const { number, actorId, subjectId, address, details = {}, hash } = event
  const facts: (readonly [ReactNode, ReactNode, string])[] = Object.entries(details).map(
    ([name, value]) => [t.details[name] ?? name, tellDetail(name, value), name],
  )
  const add = (name: string, value: string, shown: ReactNode) => {
    if (value !== '') facts.push([name, shown, name])
  }
  add(isRefusal(event) ? t.network : t.address, address, <code>{address}</code>)
  add(t.actorId, actorId, <CopyKey text={actorId} />)
  add(t.subjectId, subjectId, <CopyKey text={subjectId} />)
  add(t.hash, hash, <CopyKey text={hash} />)
  return (
    <div className="grid gap-3 pt-3 pb-1.5">
      <Facts facts={[[t.number, <code key="number">{number}</code>, 'number'], ...facts]} />
      <div className="-ms-2 flex flex-wrap gap-1">{actions}</div>
    </div>
  )

  function tellDetail(name: string, value: unknown): string {
    if (instants.has(name)) return typeof value === 'string' ? format.dateTime(value) : t.never
    if (typeof value === 'number') return format.number(value)
    if (Array.isArray(value)) return value.map(String).join(', ')
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
}
