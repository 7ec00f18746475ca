import type { Change } from '@svc/client/api'
import clsx from 'clsx'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { Badge } from '../../components/chip.tsx'
import { Icon } from '../../components/icon.tsx'
import { Avatar } from '../../components/person.tsx'
import { Td, Tr } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { ChangeDetails } from '../../history/change-details.tsx'
import { Sentence } from '../../history/sentence.tsx'
import { historyPartTexts } from '../../history/texts.ts'
import { whoOf } from '../../history/who.ts'
import { useFormat, useTexts } from '../../text/texts.ts'

interface Props {
  readonly change: Change
  readonly namespaceKey: string
  readonly isOpen: boolean
  /** Others have made it a moment ago. */
  readonly isNew: boolean
  readonly actions: ReactNode
  readonly onToggle: () => void
}

export function ChangeRow({ change, namespaceKey, isOpen, isNew, actions, onToggle }: Props) {
  const h = useTexts(historyPartTexts)
  const { number } = useFormat()
  const toggle = useRef<HTMLButtonElement>(null)
  const { actor, at, comment, revision } = change
  const place = number(revision)
  return (
    <Tr
      isChanged={isNew}
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
          <Avatar {...whoOf(actor, h)} />
          <div className="min-w-0 flex-1 pt-px">
            <Sentence change={change} namespaceKey={namespaceKey} />
            <span className="block text-12 text-muted md:hidden">
              <Time at={at} /> · {h.change(place)}
            </span>
            {!isOpen && comment !== '' && (
              <span className="block truncate text-12 text-muted">{h.quote(comment)}</span>
            )}
            {isOpen && (
              <div className="pt-3 pb-1.5">
                <ChangeDetails
                  change={change}
                  namespaceKey={namespaceKey}
                  isNow={false}
                  actions={actions}
                  onClosed={() => toggle.current?.focus()}
                />
              </div>
            )}
          </div>
        </div>
      </Td>
      <Td isEnd className="py-4! align-top! narrow:hidden!">
        <Badge>
          <span className="font-mono">{revision}</span>
        </Badge>
      </Td>
      <Td isEnd isTight className="py-3.5! align-top! pe-2! narrow:py-0!">
        <Button
          ref={toggle}
          look="quiet"
          size="small"
          isIcon
          data-row-toggle=""
          aria-expanded={isOpen}
          aria-label={(isOpen ? h.hide : h.show)(place)}
          onClick={onToggle}
        >
          <Icon of={isOpen ? ChevronDown : ChevronRight} small />
        </Button>
      </Td>
    </Tr>
  )
}
