import type { Namespace, Session } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Badge } from '../../components/chip.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx'
import { Avatar } from '../../components/person.tsx'
import { Table, TableHead, Td, Th, Tr } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { personOf } from '../../data/people.ts'
import { methodsQuery, namespacesQuery } from '../../data/queries.ts'
import { useTexts } from '../../text/texts.ts'
import { type Way, wayOf } from './list.ts'
import { type SessionsTexts, sessionsTexts } from './texts.ts'

interface Props {
  readonly label: string
  readonly sessions: readonly Session[]
  readonly offlineReason: string | undefined
  readonly onEnd: (session: Session) => void
  /** Shows or ends all sessions of the same person. */
  readonly onOnly?: (session: Session) => void
  readonly onEndTheirs?: (session: Session) => void
}

/** Sessions, each with a way to end it. */
export function SessionTable({ label, sessions, offlineReason, ...actions }: Props) {
  const t = useTexts(sessionsTexts)
  const { data: methods } = useQuery(methodsQuery)
  const { data: namespaces = [] } = useQuery(namespacesQuery)
  return (
    <Table label={label}>
      <TableHead>
        <Th className="md:w-[32%]">{t.who}</Th>
        <Th className="md:w-[20%]">{t.where}</Th>
        <Th>{t.seen}</Th>
        <Th className="max-lg:hidden">{t.begun}</Th>
        <Th>{t.ends}</Th>
        <Th isTight>
          <span className="sr-only">{t.end}</span>
        </Th>
      </TableHead>
      <tbody className="narrow:block">
        {sessions.map((session) => (
          <SessionRow
            key={session.authentication.id}
            session={session}
            way={wayOf(session.authentication, methods?.methods ?? [])}
            namespaces={namespaces}
            offlineReason={offlineReason}
            {...actions}
          />
        ))}
      </tbody>
    </Table>
  )
}

function wayText({ kind, name }: Way, t: SessionsTexts): string {
  if (kind === 'token') return t.byToken(name)
  if (kind === 'codehost') return t.codehost
  return kind === 'oidc' ? name || t.oidc : t.otherWay
}

interface RowProps extends Omit<Props, 'label' | 'sessions'> {
  readonly session: Session
  readonly way: Way
  readonly namespaces: readonly Namespace[]
}

function SessionRow({
  session,
  way,
  namespaces,
  offlineReason,
  onEnd,
  onOnly,
  onEndTheirs,
}: RowProps) {
  const t = useTexts(sessionsTexts)
  const { authentication, namespaceKey, current, subject } = session
  const { use, createdAt, expiresAt, id } = authentication
  const person = personOf(authentication)
  const namespace = namespaces.find(({ key }) => key === namespaceKey)
  return (
    <Tr data-session={id} className="narrow:grid-cols-[minmax(0,1fr)_auto]">
      <Td className="md:max-w-0 md:min-w-44">
        <span className="flex min-w-0 items-center gap-3">
          <Avatar {...person} />
          <span className="min-w-0">
            <span className="flex min-w-0 flex-wrap items-center gap-x-2">
              <b className="min-w-0 truncate font-medium" title={person.name}>
                {person.name}
              </b>
              {current && <Badge look="accent">{t.thisBrowser}</Badge>}
            </span>
            <span className="block truncate text-12 text-muted">
              {wayText(way, t)}
              {namespaceKey !== '' && ` · ${t.onlyIn(namespace?.name || namespaceKey)}`}
            </span>
          </span>
        </span>
      </Td>
      <Td className="narrow:row-start-2 narrow:ps-8.5!">
        <span className="font-mono text-12 text-muted">{use?.lastAddress || '–'}</span>
      </Td>
      <Td className="text-12 text-muted narrow:col-start-2 narrow:row-start-2 narrow:pe-2! narrow:text-end">
        <span className="sr-only">{t.seen}: </span>
        {current ? t.now : use === undefined ? t.notSeen : <Time at={use.lastAt} />}
      </Td>
      <Td className="text-12 text-muted max-lg:hidden! narrow:hidden!">
        <Time at={createdAt} />
      </Td>
      <Td className="text-12 text-muted narrow:row-start-3 narrow:ps-8.5!">
        <span className="md:sr-only">{t.ends}: </span>
        {expiresAt === undefined ? t.neverEnds : <Time at={expiresAt} />}
      </Td>
      <Td isEnd className="narrow:col-start-2 narrow:row-start-1 narrow:self-start">
        <span className="flex items-center justify-end gap-1">
          <Button
            size="small"
            data-end=""
            aria-label={current ? t.signOut : t.endOf(person.name)}
            disabledReason={offlineReason}
            onClick={() => onEnd(session)}
          >
            {current ? t.signOut : t.end}
          </Button>
          {onOnly !== undefined && onEndTheirs !== undefined && (
            <Menu
              trigger={
                <Button
                  look="quiet"
                  size="small"
                  isIcon
                  aria-label={t.more(person.name)}
                  className={subject === '' ? 'invisible' : ''}
                >
                  <Icon of={Ellipsis} />
                </Button>
              }
            >
              <MenuItem onSelect={() => onOnly(session)}>{t.onlyTheirs}</MenuItem>
              <MenuLine />
              <MenuItem
                isDanger
                disabledReason={offlineReason}
                onSelect={() => onEndTheirs(session)}
              >
                {t.endTheirs}
              </MenuItem>
            </Menu>
          )}
        </span>
      </Td>
    </Tr>
  )
}
