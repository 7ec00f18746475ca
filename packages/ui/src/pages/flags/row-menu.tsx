import type { Flag } from '@svc/client/api'
import { useNavigate } from '@tanstack/react-router'
import {
  Copy,
  Ellipsis,
  History,
  Power,
  SquareArrowOutUpRight,
  SquareTerminal,
  Trash2,
} from 'lucide-react'
import type { PageNamespace } from '../../app/namespace.ts'
import { Button } from '../../components/button.tsx'
import { useCopyToast } from '../../components/copy-key.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx'
import { componentTexts } from '../../components/texts.ts'
import { curlOf } from '../../data/snippets.ts'
import { useTexts } from '../../text/texts.ts'
import { flagsTexts } from './texts.ts'

interface Props {
  readonly flag: Flag
  readonly namespace: PageNamespace
  readonly offlineReason: string | undefined
  readonly onToggle: () => void
  readonly onDelete: () => void
}

export function RowMenu({ flag, namespace, offlineReason, onToggle, onDelete }: Props) {
  const t = useTexts(flagsTexts)
  const c = useTexts(componentTexts)
  const navigate = useNavigate()
  const { key, name, enabled, type } = flag
  const params = { namespaceKey: namespace.key, flagKey: key }
  const isBoolean = type === 'BOOLEAN_FLAG_TYPE'
  const copyToast = useCopyToast()
  const copy = (text: string, what: string) => copyToast(text, t.copied(what))
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
        onSelect={() => void navigate({ to: '/ns/$namespaceKey/flags/$flagKey', params })}
      >
        {t.open}
      </MenuItem>
      <MenuItem icon={Power} keys="e" onSelect={onToggle} disabledReason={offlineReason}>
        {isBoolean ? (enabled ? t.turnOff : t.turnOn) : enabled ? t.disable : t.enable}
      </MenuItem>
      <MenuItem
        icon={SquareTerminal}
        onSelect={() =>
          void navigate({
            to: '/ns/$namespaceKey/console',
            params: { namespaceKey: namespace.key },
            search: { flag: key },
          })
        }
      >
        {t.ask}
      </MenuItem>
      <MenuItem
        icon={History}
        onSelect={() => void navigate({ to: '/ns/$namespaceKey/flags/$flagKey/history', params })}
      >
        {t.history}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={Copy} onSelect={() => copy(key, key)}>
        {t.copyKey}
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => copy(curlOf(namespace.key, flag), 'curl')}>
        {t.copyCurl}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={Trash2} isDanger onSelect={onDelete} disabledReason={offlineReason}>
        {t.delete}
      </MenuItem>
    </Menu>
  )
}
