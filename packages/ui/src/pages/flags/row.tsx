import type { Flag } from '@svc/client/api'
import { Link } from '@tanstack/react-router'
import clsx from 'clsx'
import type { PageNamespace } from '../../app/namespace.ts'
import { Bar } from '../../components/bar.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { DraftDot, Tag } from '../../components/chip.tsx'
import { Avatar } from '../../components/person.tsx'
import { Switch } from '../../components/switch.tsx'
import { Td, Tr } from '../../components/table.tsx'
import { componentTexts } from '../../components/texts.ts'
import { Time } from '../../components/time.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { personOfActor } from '../../data/people.ts'
import { tagsOf } from '../../data/queries.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { RowMenu } from './row-menu.tsx'
import { servesOf } from './serves.ts'
import { flagsTexts } from './texts.ts'

interface Props {
  readonly flag: Flag
  readonly namespace: PageNamespace
  readonly isCursor: boolean
  readonly isSelected: boolean
  readonly isChanged: boolean
  readonly hasDraft: boolean
  readonly offlineReason: string | undefined
  readonly onFocus: () => void
  readonly onSelect: (isSelected: boolean, isRange: boolean) => void
  readonly onToggle: () => void
  readonly onDelete: () => void
}

/** Tags of a row; more are a number. */
const maxTags = 2

export function FlagRow({
  flag,
  namespace,
  isCursor,
  isSelected,
  isChanged,
  hasDraft,
  offlineReason,
  onFocus,
  onSelect,
  onToggle,
  onDelete,
}: Props) {
  const t = useTexts(flagsTexts)
  const c = useTexts(componentTexts)
  const format = useFormat()
  const name = flag.name || flag.key
  const isBoolean = flag.type === 'BOOLEAN_FLAG_TYPE'
  const { sentence, shares } = servesOf(flag, t, format)
  const tags = tagsOf(flag)
  const { changedAt = flag.updatedAt, changedBy } = flag.summary ?? {}
  const person = changedBy && personOfActor(changedBy)
  const switchName = isBoolean
    ? (flag.enabled ? t.switchOn : t.switchOff)(name)
    : (flag.enabled ? t.switchEnabled : t.switchDisabled)(name)
  return (
    <Tr
      isCursor={isCursor}
      isSelected={isSelected}
      isChanged={isChanged}
      onFocus={onFocus}
      className="narrow:grid-cols-[auto_minmax(0,1fr)_auto]"
    >
      <Td isTight className="leading-none narrow:hidden!">
        <Checkbox
          isChecked={isSelected}
          name={t.select(name)}
          onChange={(checked, event) =>
            onSelect(checked, event instanceof MouseEvent && event.shiftKey)
          }
        />
      </Td>
      <Td isTight className="leading-none">
        <Switch
          isOn={flag.enabled}
          name={switchName}
          onChange={onToggle}
          disabledReason={offlineReason}
        />
      </Td>
      <Td className="md:w-[28%] md:max-w-0 md:min-w-36">
        <span className="flex min-w-0 items-center gap-1.5 compact:gap-3">
          <Link
            to="/ns/$namespaceKey/flags/$flagKey"
            params={{ namespaceKey: namespace.key, flagKey: flag.key }}
            data-row-link=""
            className="block min-w-0 compact:flex compact:items-baseline compact:gap-3"
          >
            <span className="block truncate leading-[1.35] font-medium group-hover/row:underline group-hover/row:decoration-line-strong group-hover/row:underline-offset-[0.2em]">
              {name}
            </span>
            <span className="block truncate font-mono text-[0.71875rem] leading-[1.4] text-muted">
              {flag.key}
            </span>
          </Link>
          {hasDraft && <DraftDot label={t.draft} />}
        </span>
      </Td>
      <Td className="narrow:col-start-2 narrow:col-end-4 narrow:row-start-2 narrow:pe-2!">
        <span className="grid max-w-52 min-w-38 gap-1.25 compact:flex compact:items-center compact:gap-3 narrow:max-w-none">
          {shares !== undefined && (
            <Bar shares={shares} className="compact:w-20 compact:flex-none" />
          )}
          <span className="text-12 text-muted">{sentence}</span>
        </span>
      </Td>
      <Td className="max-xl:hidden!">
        <span className="flex gap-1">
          {tags.slice(0, maxTags).map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
          {tags.length > maxTags && (
            <Tooltip text={format.list(tags.slice(maxTags))}>
              <button type="button" className="cursor-default rounded-1 px-1 text-12 text-muted">
                {c.moreTags(format.number(tags.length - maxTags))}
              </button>
            </Tooltip>
          )}
          {tags.length === 0 && <span className="text-faint">–</span>}
        </span>
      </Td>
      <Td className="narrow:hidden!">
        <span className="flex items-center gap-2">
          {person && (
            <Tooltip text={person.name}>
              <button
                type="button"
                className="cursor-default rounded-full"
                aria-label={person.name}
              >
                <Avatar {...person} />
              </button>
            </Tooltip>
          )}
          <Time
            at={changedAt}
            className={clsx('whitespace-nowrap', person === undefined && 'ps-7.5')}
          />
        </span>
      </Td>
      <Td isEnd className="narrow:col-start-3 narrow:row-start-1 narrow:self-start">
        <RowMenu
          flag={flag}
          namespace={namespace}
          offlineReason={offlineReason}
          onToggle={onToggle}
          onDelete={onDelete}
        />
      </Td>
    </Tr>
  )
}
