import type { Namespace } from '@svc/client/api'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Copy, Ellipsis, Flag, Lock, Pencil, Plus, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { openLayer } from '../../app/actions.ts'
import { useOfflineReason } from '../../app/banner.tsx'
import { PageError } from '../../app/page-error.tsx'
import { Button } from '../../components/button.tsx'
import { Badge } from '../../components/chip.tsx'
import { useCopyToast } from '../../components/copy-key.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx'
import { Bone, Waiting } from '../../components/skeleton.tsx'
import { componentTexts } from '../../components/texts.ts'
import { Tile } from '../../components/tile.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { namespacesQuery, viewerQuery } from '../../data/queries.ts'
import { useFormat, useTexts } from '../../text/texts.ts'
import { holds } from './holds.ts'
import { Section } from './section.tsx'
import { settingsTexts } from './texts.ts'

const EditNamespace = lazy(() => import('./edit-namespace.tsx'))
const DeleteNamespace = lazy(() => import('./delete-namespace.tsx'))

/** All namespaces that the viewer may see, and what can be done with them. */
export function Namespaces() {
  const t = useTexts(settingsTexts)
  const offlineReason = useOfflineReason()
  const query = useQuery(namespacesQuery)
  const { data: viewer } = useQuery(viewerQuery)
  const [edited, setEdited] = useState<Namespace>()
  const [doomed, setDoomed] = useState<Namespace>()
  const bound = viewer?.kind === 'session' ? viewer.session.namespaceKey : ''
  const boundReason = bound === '' ? undefined : t.isBound(bound)
  return (
    <Section
      id="namespaces"
      title={t.namespaces}
      action={
        <Button
          size="small"
          disabledReason={offlineReason ?? boundReason}
          onClick={() => openLayer('namespace')}
        >
          <Icon of={Plus} small />
          {t.newNamespace}
        </Button>
      }
    >
      {query.isError && query.data === undefined && (
        <PageError isPage={false} error={query.error} reset={() => void query.refetch()} />
      )}
      {query.isPending && (
        <Waiting>
          <div className="grid gap-3 rounded-3 border border-line bg-raised p-4">
            <Bone width="w-40" />
            <Bone width="w-52" />
            <Bone width="w-36" />
          </div>
        </Waiting>
      )}
      {query.data !== undefined && (
        <ul className="rounded-3 border border-line bg-raised">
          {query.data.map((namespace) => (
            <NamespaceRow
              key={namespace.key}
              namespace={namespace}
              offlineReason={offlineReason}
              deleteReason={boundReason ?? (namespace.protected ? t.isProtected : undefined)}
              onEdit={() => setEdited(namespace)}
              onDelete={() => setDoomed(namespace)}
            />
          ))}
        </ul>
      )}
      <Suspense fallback={null}>
        {edited !== undefined && (
          <EditNamespace namespace={edited} onClose={() => setEdited(undefined)} />
        )}
        {doomed !== undefined && (
          <DeleteNamespace namespace={doomed} onClose={() => setDoomed(undefined)} />
        )}
      </Suspense>
    </Section>
  )
}

interface RowProps {
  readonly namespace: Namespace
  readonly offlineReason: string | undefined
  readonly deleteReason: string | undefined
  readonly onEdit: () => void
  readonly onDelete: () => void
}

function NamespaceRow({ namespace, offlineReason, deleteReason, onEdit, onDelete }: RowProps) {
  const t = useTexts(settingsTexts)
  const c = useTexts(componentTexts)
  const format = useFormat()
  const navigate = useNavigate()
  const { key, description, confirm } = namespace
  const name = namespace.name || key
  const copyToast = useCopyToast()
  return (
    <li className="flex min-h-row items-center gap-3 border-b border-line px-4 py-2 text-13 last:border-b-0 narrow:flex-wrap narrow:pe-2">
      <Tile namespace={namespace} />
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 items-baseline gap-2">
          <Link
            to="/ns/$namespaceKey/flags"
            params={{ namespaceKey: key }}
            className="min-w-0 truncate font-medium hover:underline"
          >
            {name}
          </Link>
          <code className="min-w-0 truncate text-12 text-muted">{key}</code>
        </span>
        {description !== '' && (
          <span className="block truncate text-12 text-muted" title={description}>
            {description}
          </span>
        )}
      </span>
      {confirm === true && (
        <Tooltip text={t.confirmedHelp}>
          <button type="button" className="cursor-default rounded-1">
            <Badge>
              <Icon of={Lock} small />
              {t.confirmed}
            </Badge>
          </button>
        </Tooltip>
      )}
      <span className="text-12 whitespace-nowrap text-muted narrow:order-last narrow:w-full narrow:ps-8">
        {holds(namespace, t, format) || t.nothingIn}
      </span>
      <Menu
        trigger={
          <Button look="quiet" size="small" isIcon aria-label={c.more(name)}>
            <Icon of={Ellipsis} />
          </Button>
        }
      >
        <MenuItem icon={Pencil} onSelect={onEdit} disabledReason={offlineReason}>
          {t.edit}
        </MenuItem>
        <MenuItem
          icon={Flag}
          onSelect={() =>
            void navigate({ to: '/ns/$namespaceKey/flags', params: { namespaceKey: key } })
          }
        >
          {t.openFlags}
        </MenuItem>
        <MenuItem icon={Copy} onSelect={() => copyToast(key, t.keyCopied(key))}>
          {t.copyKey}
        </MenuItem>
        <MenuLine />
        <MenuItem
          icon={Trash2}
          isDanger
          onSelect={onDelete}
          disabledReason={offlineReason ?? deleteReason}
        >
          {t.delete}
        </MenuItem>
      </Menu>
    </li>
  )
}
