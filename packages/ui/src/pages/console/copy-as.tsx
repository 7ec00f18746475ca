import type { FlagType } from '@svc/client/api'
import { ChevronDown, Copy } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { useCopyToast } from '../../components/copy-key.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { explainCurlOf, ofrepOf } from '../../data/more-snippets.ts'
import { curlOf } from '../../data/snippets.ts'
import { askFromTerminal } from '../../data/terminal.ts'
import type { AskedContext } from '../../explain/context.ts'
import { useTexts } from '../../text/texts.ts'
import { consoleTexts } from './texts.ts'

interface Props {
  readonly namespaceKey: string
  readonly flag: string
  readonly type: FlagType | undefined
  readonly entityId: string
  readonly context: AskedContext
}

/** The same question as a command. */
export function CopyAs({ namespaceKey, flag, type, entityId, context }: Props) {
  const t = useTexts(consoleTexts)
  const copyToast = useCopyToast()
  const copy = (text: string) => copyToast(text, t.copied)
  return (
    <Menu
      trigger={
        <Button>
          <Icon of={Copy} />
          {t.copyAs}
          <Icon of={ChevronDown} small />
        </Button>
      }
    >
      {type !== undefined && (
        <MenuItem
          onSelect={() => copy(curlOf(namespaceKey, { key: flag, type }, entityId, context))}
        >
          {t.curl}
        </MenuItem>
      )}
      <MenuItem onSelect={() => copy(explainCurlOf(namespaceKey, flag, entityId, context))}>
        {t.curlExplain}
      </MenuItem>
      <MenuItem
        onSelect={() => copy(askFromTerminal('explain', namespaceKey, flag, entityId, context))}
      >
        {t.terminal}
      </MenuItem>
      <MenuItem onSelect={() => copy(ofrepOf(namespaceKey, { key: flag }, entityId, context))}>
        {t.ofrep}
      </MenuItem>
    </Menu>
  )
}
