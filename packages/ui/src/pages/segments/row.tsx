import type { Segment } from '@svc/client/api'
import { Link, useNavigate } from '@tanstack/react-router'
import {
  Copy,
  Ellipsis,
  FileText,
  Flag,
  SquareArrowOutUpRight,
  Trash2,
  TriangleAlert,
} from 'lucide-react'
import { useOfflineReason } from '../../app/banner.tsx'
import type { PageNamespace } from '../../app/namespace.ts'
import { Button } from '../../components/button.tsx'
import { Badge, DraftDot } from '../../components/chip.tsx'
import { link } from '../../components/classes.ts'
import { useCopyToast } from '../../components/copy-key.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx'
import { Td, Tr } from '../../components/table.tsx'
import { componentTexts } from '../../components/texts.ts'
import { Time } from '../../components/time.tsx'
import { membersOf } from '../../constraints/sentence.ts'
import { constraintTexts } from '../../constraints/texts.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { segmentsTexts } from './texts.ts'

interface Props {
  readonly segment: Segment
  readonly namespace: PageNamespace
  readonly isCursor: boolean
  readonly isChanged: boolean
  readonly hasDraft: boolean
  readonly onFocus: () => void
  readonly onDelete: () => void
  readonly onYaml: () => void
}

export function SegmentRow({
  segment,
  namespace,
  isCursor,
  isChanged,
  hasDraft,
  onFocus,
  onDelete,
  onYaml,
}: Props) {
  const t = useTexts(segmentsTexts)
  const words = useTexts(constraintTexts)
  const format = useFormat()
  const { key, name, matchType, constraints, usedBy = 0, updatedAt } = segment
  const { matchesEveryone = constraints.length === 0 } = segment
  return (
    <Tr
      isCursor={isCursor}
      isChanged={isChanged}
      onFocus={onFocus}
      className="narrow:grid-cols-[minmax(0,1fr)_auto]"
    >
      <Td className="md:w-[24%] md:max-w-0 md:min-w-36">
        <span className="flex min-w-0 items-center gap-1.5 compact:gap-3">
          <Link
            to="/ns/$namespaceKey/segments/$segmentKey"
            params={{ namespaceKey: namespace.key, segmentKey: key }}
            data-row-link=""
            className="block min-w-0 compact:flex compact:items-baseline compact:gap-3"
          >
            <span className="block truncate leading-[1.35] font-medium group-hover/row:underline group-hover/row:decoration-line-strong group-hover/row:underline-offset-[0.2em]">
              {name || key}
            </span>
            <span className="block truncate font-mono text-[0.71875rem] leading-[1.4] text-muted">
              {key}
            </span>
          </Link>
          {hasDraft && <DraftDot label={t.draft} />}
        </span>
      </Td>
      <Td className="md:w-[36%] md:max-w-0 narrow:col-span-2 narrow:row-start-2 narrow:pe-2!">
        <span className="line-clamp-2 wrap-anywhere text-muted compact:line-clamp-1">
          {membersOf(segment, words, format)}
        </span>
      </Td>
      <Td className="narrow:col-start-1 narrow:row-start-3">
        {matchesEveryone ? (
          <span className="flex items-center gap-1.5 text-12 whitespace-nowrap text-draft">
            <Icon of={TriangleAlert} small />
            {t.everyone}
          </span>
        ) : (
          <span className="flex items-center gap-1.5 whitespace-nowrap">
            <Badge>{matchType === 'ANY_MATCH_TYPE' ? t.any : t.all}</Badge>
            <span className="text-12 text-muted">{t.of(format.number(constraints.length))}</span>
          </span>
        )}
      </Td>
      <Td className="whitespace-nowrap narrow:col-start-2 narrow:row-start-3 narrow:pe-2!">
        {usedBy === 0 ? (
          <span className="text-faint">{t.notUsed}</span>
        ) : (
          <Link
            className={link}
            to="/ns/$namespaceKey/flags"
            params={{ namespaceKey: namespace.key }}
            search={{ segment: key }}
          >
            {t.flags(usedBy, format.number(usedBy))}
          </Link>
        )}
      </Td>
      <Td className="max-lg:hidden!">
        <Time at={updatedAt} className="text-12 whitespace-nowrap text-muted" />
      </Td>
      <Td isEnd className="narrow:col-start-2 narrow:row-start-1 narrow:self-start">
        <RowMenu segment={segment} namespace={namespace} onDelete={onDelete} onYaml={onYaml} />
      </Td>
    </Tr>
  )
}

function RowMenu({
  segment: { key, name, usedBy = 0 },
  namespace,
  onDelete,
  onYaml,
}: Pick<Props, 'segment' | 'namespace' | 'onDelete' | 'onYaml'>) {
  const t = useTexts(segmentsTexts)
  const c = useTexts(componentTexts)
  const navigate = useNavigate()
  const offlineReason = useOfflineReason()
  const params = { namespaceKey: namespace.key }
  const copyToast = useCopyToast()
  return (
    <Menu
      trigger={
        <Button look="quiet" isIcon aria-label={c.more(name || key)}>
          <Icon of={Ellipsis} />
        </Button>
      }
    >
      <MenuItem
        icon={SquareArrowOutUpRight}
        keys="enter"
        onSelect={() =>
          void navigate({
            to: '/ns/$namespaceKey/segments/$segmentKey',
            params: { ...params, segmentKey: key },
          })
        }
      >
        {t.open}
      </MenuItem>
      {usedBy > 0 && (
        <MenuItem
          icon={Flag}
          onSelect={() =>
            void navigate({ to: '/ns/$namespaceKey/flags', params, search: { segment: key } })
          }
        >
          {t.showFlags}
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem icon={Copy} onSelect={() => copyToast(key, t.copied(key))}>
        {t.copyKey}
      </MenuItem>
      <MenuItem icon={FileText} onSelect={onYaml}>
        {t.yaml}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={Trash2} isDanger onSelect={onDelete} disabledReason={offlineReason}>
        {t.delete}
      </MenuItem>
    </Menu>
  )
}
