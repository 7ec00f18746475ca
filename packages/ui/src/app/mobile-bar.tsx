import { Dialog } from '@base-ui/react/dialog'
import type { Namespace } from '@svc/client/api'
import { Menu } from 'lucide-react'
import { Icon } from '../components/icon.tsx'
import { Tile } from '../components/tile.tsx'
import { useText } from '../text/text.ts'
import { SideBar } from './side-bar.tsx'

/** On a narrow screen: the namespace, and the side bar as a drawer. */
export function MobileBar({ namespace }: { readonly namespace: Namespace | undefined }) {
  const t = useText()
  return (
    <header className="mobile-bar">
      <Dialog.Root>
        <Dialog.Trigger className="btn ghost icon" aria-label={t.frame.menu}>
          <Icon of={Menu} />
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Backdrop className="backdrop" />
          <Dialog.Popup className="drawer" aria-label={t.frame.menu}>
            <SideBar namespace={namespace} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
      {namespace && (
        <>
          <Tile namespace={namespace} />
          <b className="grow">{namespace.name}</b>
        </>
      )}
    </header>
  )
}
