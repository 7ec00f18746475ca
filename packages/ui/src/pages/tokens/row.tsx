import type { Namespace } from '@svc/client/api'
import { useNavigate } from '@tanstack/react-router'
import clsx from 'clsx'
import {
  Copy,
  Ellipsis,
  History,
  RotateCcwKey,
  ScrollText,
  ShieldCheck,
  Trash2,
} from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Badge } from '../../components/chip.tsx'
import { useCopyToast } from '../../components/copy-key.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx'
import { Avatar } from '../../components/person.tsx'
import { Td, Tr } from '../../components/table.tsx'
import { componentTexts } from '../../components/texts.ts'
import { Tile } from '../../components/tile.tsx'
import { Time } from '../../components/time.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import type { Person } from '../../data/people.ts'
import type { Token } from '../../data/token.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { isExpiring, isPast } from './list.ts'
import { tokensTexts } from './texts.ts'

interface Props {
  readonly token: Token
  readonly namespaces: readonly Namespace[]
  readonly maker: Person | undefined
  readonly now: number
  readonly offlineReason: string | undefined
  readonly onRotate: () => void
  readonly onRevoke: () => void
}

export function TokenRow({
  token,
  namespaces,
  maker,
  now,
  offlineReason,
  onRotate,
  onRevoke,
}: Props) {
  const t = useTexts(tokensTexts)
  const { name, description, id, use, createdAt } = token
  return (
    <Tr data-token={id} className="narrow:grid-cols-[minmax(0,1fr)_auto] narrow:ps-4">
      <Td className="md:w-[30%] md:max-w-0 md:min-w-44">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <b className="min-w-0 truncate font-medium" title={name}>
            {name}
          </b>
          <Marks token={token} now={now} />
        </span>
        {description !== '' && (
          <span className="block truncate text-12 text-muted compact:hidden" title={description}>
            {description}
          </span>
        )}
      </Td>
      <Td className="max-xl:hidden!">
        <code className="font-mono text-12 text-muted" title={id}>
          …{id.slice(-6)}
        </code>
      </Td>
      <Td className="narrow:row-start-2">
        <Scope token={token} namespaces={namespaces} />
      </Td>
      <Td className="narrow:col-start-2 narrow:row-start-2 narrow:pe-2!">
        <Expiry token={token} now={now} />
      </Td>
      <Td className="text-12 text-muted narrow:col-span-2 narrow:row-start-3">
        {use === undefined ? (
          <span className="whitespace-nowrap">{t.neverUsed}</span>
        ) : (
          <>
            <span className="md:sr-only">{t.used}: </span>
            <Time at={use.lastAt} />
            {use.lastAddress !== '' && (
              <span className="block font-mono text-11 compact:hidden narrow:inline">
                <span className="md:hidden"> · </span>
                {use.lastAddress}
              </span>
            )}
          </>
        )}
      </Td>
      <Td className="text-12 text-muted max-lg:hidden! narrow:hidden!">
        <span className="flex items-center gap-2">
          {maker !== undefined && (
            <Tooltip text={maker.name}>
              <button type="button" className="cursor-default rounded-full" aria-label={maker.name}>
                <Avatar {...maker} />
              </button>
            </Tooltip>
          )}
          <Time
            at={createdAt}
            className={clsx('whitespace-nowrap', maker === undefined && 'ps-7.5')}
          />
        </span>
      </Td>
      <Td isEnd className="narrow:col-start-2 narrow:row-start-1 narrow:self-start">
        <RowMenu
          token={token}
          now={now}
          offlineReason={offlineReason}
          onRotate={onRotate}
          onRevoke={onRevoke}
        />
      </Td>
    </Tr>
  )
}

/** What is remarkable about it. */
function Marks({ token, now }: { readonly token: Token; readonly now: number }) {
  const t = useTexts(tokensTexts)
  const { dateTime, relative, timeOfDay } = useFormat()
  const { isFirst, isCli, previousSecretExpiresAt: until, expiresAt } = token
  const hasOld = until !== undefined && !isPast(until, now)
  const isToday =
    until !== undefined && new Date(until).toDateString() === new Date(now).toDateString()
  return (
    <>
      {isFirst && (
        <Tooltip text={t.firstHelp}>
          <button type="button" className="cursor-default rounded-1">
            <Badge look="draft">{t.first}</Badge>
          </button>
        </Tooltip>
      )}
      {isCli && (
        <Tooltip text={t.cliHelp}>
          <button type="button" className="cursor-default rounded-1">
            <Badge>{t.cli}</Badge>
          </button>
        </Tooltip>
      )}
      {isPast(expiresAt, now) && <Badge look="danger">{t.expired}</Badge>}
      {hasOld && (
        <Tooltip text={dateTime(until)}>
          <button type="button" className="cursor-default rounded-1">
            <Badge>
              {t.oldSecret(isToday ? timeOfDay(Date.parse(until)) : relative(until, now))}
            </Badge>
          </button>
        </Tooltip>
      )}
    </>
  )
}

function Scope({
  token: { namespaceKey, allowedAddresses },
  namespaces,
}: {
  readonly token: Token
  readonly namespaces: readonly Namespace[]
}) {
  const t = useTexts(tokensTexts)
  const { number, list } = useFormat()
  const namespace = namespaces.find(({ key }) => key === namespaceKey) ?? {
    key: namespaceKey,
    name: namespaceKey,
  }
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
      {namespaceKey === '' ? (
        <span className="whitespace-nowrap">{t.everywhere}</span>
      ) : (
        <span className="flex min-w-0 items-center gap-1.5">
          <Tile namespace={namespace} size="small" />
          <span className="max-w-40 truncate">{namespace.name || namespace.key}</span>
        </span>
      )}
      {allowedAddresses.length > 0 && (
        <Tooltip text={t.addressesHelp(list(allowedAddresses))}>
          <button
            type="button"
            className="inline-flex cursor-default items-center gap-1 rounded-1 text-12 whitespace-nowrap text-muted"
          >
            <Icon of={ShieldCheck} small />
            {t.addresses(allowedAddresses.length, number(allowedAddresses.length))}
          </button>
        </Tooltip>
      )}
    </span>
  )
}

function Expiry({ token, now }: { readonly token: Token; readonly now: number }) {
  const t = useTexts(tokensTexts)
  const { expiresAt } = token
  const needsLook = expiresAt === undefined || isExpiring(token, now)
  return (
    <span className={clsx('text-12 whitespace-nowrap', needsLook ? 'text-draft' : 'text-muted')}>
      <span className="md:sr-only">{t.expires}: </span>
      {expiresAt === undefined ? t.never : <Time at={expiresAt} />}
    </span>
  )
}

function RowMenu({
  token: { id, name, isWorkload, isCli, expiresAt },
  now,
  offlineReason,
  onRotate,
  onRevoke,
}: Pick<Props, 'token' | 'now' | 'offlineReason' | 'onRotate' | 'onRevoke'>) {
  const t = useTexts(tokensTexts)
  const c = useTexts(componentTexts)
  const navigate = useNavigate()
  const isExpired = isPast(expiresAt, now)
  const notRotated = isWorkload ? t.onlyStatic : isCli ? t.onlyOnce : undefined
  const copyToast = useCopyToast()
  return (
    <Menu
      trigger={
        <Button look="quiet" isIcon aria-label={c.more(name)} data-row-menu="">
          <Icon of={Ellipsis} />
        </Button>
      }
    >
      <MenuItem
        icon={RotateCcwKey}
        onSelect={onRotate}
        disabledReason={offlineReason ?? notRotated ?? (isExpired ? t.hasExpired : undefined)}
      >
        {t.rotate}
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => copyToast(id, t.idCopied)}>
        {t.copyId}
      </MenuItem>
      <MenuItem
        icon={History}
        onSelect={() => void navigate({ to: '/audit', search: { subject: id } })}
      >
        {t.history}
      </MenuItem>
      <MenuItem
        icon={ScrollText}
        onSelect={() => void navigate({ to: '/audit', search: { actor: id } })}
      >
        {t.whatItDid}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={Trash2} isDanger onSelect={onRevoke} disabledReason={offlineReason}>
        {t.revoke}
      </MenuItem>
    </Menu>
  )
}
