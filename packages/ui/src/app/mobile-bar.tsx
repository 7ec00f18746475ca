import { Dialog } from '@base-ui/react/dialog'
import type { Namespace } from '@svc/client/api'
import { Menu, Search } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { useTexts } from '../text/texts.ts'
import { openLayer } from './actions.ts'
import { NamespaceSwitcher } from './namespace-switcher.tsx'
import { SideBar } from './side-bar.tsx'
import { appTexts } from './texts.ts'

/** On a narrow screen: the side bar as a drawer, the namespace with its colour, and search. */
export function MobileBar({ namespace }: { readonly namespace: Namespace | undefined }) {
  const t = useTexts(appTexts)
  const [isOpen, setOpen] = useState(false)
  return (
    <header className="sticky top-0 z-bar flex h-13 items-center gap-2 border-b-2 border-(--ns,var(--line)) bg-canvas px-2 md:hidden">
      <Dialog.Root open={isOpen} onOpenChange={setOpen}>
        <Dialog.Trigger render={<Button look="quiet" size="large" isIcon aria-label={t.menu} />}>
          <Icon of={Menu} />
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Backdrop className="fade-motion fixed inset-0 z-dialog bg-scrim" />
          <Dialog.Popup
            aria-label={t.menu}
            className="fixed inset-y-0 start-0 z-dialog w-72 max-w-[calc(100vw-3rem)] bg-canvas shadow-layer transition-[translate,opacity] slow outline-none data-ending-style:-translate-x-4 data-ending-style:opacity-0 data-starting-style:-translate-x-4 data-starting-style:opacity-0"
          >
            <SideBar namespace={namespace} isFolded={false} onNavigate={() => setOpen(false)} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
      <NamespaceSwitcher current={namespace} isSmall />
      <span className="flex-1" />
      <Button
        look="quiet"
        size="large"
        isIcon
        aria-label={t.searchOrGo}
        onClick={() => openLayer('palette')}
      >
        <Icon of={Search} />
      </Button>
    </header>
  )
}
