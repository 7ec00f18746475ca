import type { Change } from '@svc/client/api'
import clsx from 'clsx'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { Button } from '../../../components/button.tsx'
import { Badge } from '../../../components/chip.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Avatar } from '../../../components/person.tsx'
import { Stop } from '../../../components/rail.tsx'
import { Time } from '../../../components/time.tsx'
import { ChangeDetails } from '../../../history/change-details.tsx'
import { Sentence } from '../../../history/sentence.tsx'
import { historyPartTexts } from '../../../history/texts.ts'
import { whoOf } from '../../../history/who.ts'
import { useFormat, useTexts } from '../../../text/texts.ts'

interface Props {
  readonly change: Change
  readonly namespaceKey: string
  readonly isOpen: boolean
  /** Whether the flag is as this change has made it. */
  readonly isNow: boolean
  /** Others have made it a moment ago. */
  readonly isNew: boolean
  readonly actions: ReactNode
  readonly onToggle: () => void
}

/** A change on the rail of the history: a line, or all of it in a card. */
export function ChangeStop({
  change,
  namespaceKey,
  isOpen,
  isNow,
  isNew,
  actions,
  onToggle,
}: Props) {
  const h = useTexts(historyPartTexts)
  const { number } = useFormat()
  const toggle = useRef<HTMLButtonElement>(null)
  const { actor, at, comment, revision, itemCount } = change
  const place = number(revision)
  return (
    <Stop
      node={<Avatar {...whoOf(actor, h)} />}
      isPlain
      nodeTop={isOpen ? 0.75 : 0.5}
      className={clsx(isNew && 'glow')}
    >
      <div
        className={clsx(
          'min-w-0 rounded-3 border px-4 narrow:px-3',
          isOpen ? 'border-line bg-raised py-3' : 'border-transparent py-2',
        )}
      >
        <div className="flex min-h-6 flex-wrap items-start gap-x-3 gap-y-0.5">
          <div className="min-w-48 flex-1">
            <Sentence change={change} namespaceKey={namespaceKey} isOwn={itemCount === 1} />
            {!isOpen && comment !== '' && (
              <span className="block truncate text-12 text-muted">{h.quote(comment)}</span>
            )}
          </div>
          <div className="flex items-center gap-2 text-12 text-muted narrow:w-full">
            <Time at={at} />
            {isNow ? (
              <Badge look="on">{h.now}</Badge>
            ) : (
              <Badge>
                <span className="font-mono">{revision}</span>
              </Badge>
            )}
            <Button
              ref={toggle}
              look="quiet"
              size="small"
              isIcon
              className="narrow:ms-auto"
              data-row-toggle=""
              aria-expanded={isOpen}
              aria-label={(isOpen ? h.hide : h.show)(place)}
              onClick={onToggle}
            >
              <Icon of={isOpen ? ChevronDown : ChevronRight} small />
            </Button>
          </div>
        </div>
        {isOpen && (
          <div className="pt-3">
            <ChangeDetails
              change={change}
              namespaceKey={namespaceKey}
              isNow={isNow}
              actions={actions}
              onClosed={() => toggle.current?.focus()}
            />
          </div>
        )}
      </div>
    </Stop>
  )
}
