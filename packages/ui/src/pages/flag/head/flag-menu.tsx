import { useNavigate } from '@tanstack/react-router'
import {
  ArrowLeftRight,
  CircleStop,
  Copy,
  CopyPlus,
  Ellipsis,
  SquareTerminal,
  Trash2,
} from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { useCopyToast } from '../../../components/copy-key.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Menu, MenuItem, MenuLine } from '../../../components/menu.tsx'
import { componentTexts } from '../../../components/texts.ts'
import { ofrepOf } from '../../../data/more-snippets.ts'
import { curlOf } from '../../../data/snippets.ts'
import { stopOf } from '../../../data/stop.ts'
import { svc } from '../../../data/terminal.ts'
import { useTexts } from '../../../text/texts.ts'
import { useFlag } from '../here.ts'
import { isBoolean } from '../targeting/steps.ts'
import { flagTexts } from '../texts.ts'

interface Props {
  readonly onStop: () => void
  readonly onDuplicate: () => void
}

export function FlagMenu({ onStop, onDuplicate }: Props) {
  const t = useTexts(flagTexts)
  const c = useTexts(componentTexts)
  const navigate = useNavigate()
  const { flag, name, namespace, readOnlyReason } = useFlag()
  const params = { namespaceKey: namespace.key, flagKey: flag.key }
  const copyToast = useCopyToast()
  const copy = (text: string, what: string) => copyToast(text, t.copied(what))
  const isStopped = stopOf(flag) !== undefined
  return (
    <Menu
      trigger={
        <Button isIcon aria-label={c.more(name)} className="min-h-11.5!">
          <Icon of={Ellipsis} />
        </Button>
      }
    >
      <MenuItem icon={Copy} onSelect={() => copy(flag.key, flag.key)}>
        {t.copyKey}
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => copy(curlOf(namespace.key, flag), 'curl')}>
        {t.copyCurl}
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => copy(ofrepOf(namespace.key, flag), 'curl')}>
        {t.copyOfrep}
      </MenuItem>
      <MenuItem
        icon={Copy}
        onSelect={() =>
          copy(svc(namespace.key, 'flags', flag.enabled ? 'off' : 'on', flag.key), 'svc')
        }
      >
        {t.copySvc(flag.enabled)}
      </MenuItem>
      <MenuItem
        icon={SquareTerminal}
        onSelect={() =>
          void navigate({
            to: '/ns/$namespaceKey/console',
            params: { namespaceKey: namespace.key },
            search: { flag: flag.key },
          })
        }
      >
        {t.ask}
      </MenuItem>
      <MenuLine />
      {isBoolean(flag) && (
        <MenuItem
          icon={CircleStop}
          onSelect={onStop}
          disabledReason={isStopped ? t.isStoppedNow : readOnlyReason}
        >
          {t.stopAll}
        </MenuItem>
      )}
      <MenuItem icon={CopyPlus} onSelect={onDuplicate} disabledReason={readOnlyReason}>
        {t.duplicate}
      </MenuItem>
      <MenuItem
        icon={ArrowLeftRight}
        onSelect={() =>
          void navigate({ to: '/compare', search: { from: namespace.key, flag: [flag.key] } })
        }
      >
        {t.copyToNamespace}
      </MenuItem>
      <MenuLine />
      <MenuItem
        icon={Trash2}
        isDanger
        onSelect={() => void navigate({ to: '/ns/$namespaceKey/flags/$flagKey/settings', params })}
      >
        {t.delete}
      </MenuItem>
    </Menu>
  )
}
