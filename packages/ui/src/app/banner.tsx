import { LogIn, type LucideIcon, WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { useConnection } from '../data/connection.ts'
import { look } from '../data/reconnect.ts'
import { useFormat, useTexts } from '../text/texts.ts'
import { appTexts } from './texts.ts'

/** Says that the server does not answer, and how old what is seen may be. */
export function OfflineBanner() {
  const t = useTexts(appTexts)
  const { timeOfDay } = useFormat()
  const { isOnline, lastAnswerAt } = useConnection()
  return (
    <div role="status">
      {!isOnline && (
        <Banner icon={WifiOff} action={t.tryNow} onAction={() => void look()}>
          <b className="font-medium">{t.offline(timeOfDay(lastAnswerAt))}</b>{' '}
          <span className="narrow:hidden">{t.offlineMore}</span>
        </Banner>
      )}
    </div>
  )
}

/** Says that the session has ended, while the page is looked at all the same. */
export function SessionBanner(props: { readonly isShown: boolean; readonly onSignIn: () => void }) {
  const t = useTexts(appTexts)
  return (
    <div role="status">
      {props.isShown && (
        <Banner icon={LogIn} action={t.signInAgain} onAction={props.onSignIn}>
          <b className="font-medium">{t.endedTitle}</b>
        </Banner>
      )}
    </div>
  )
}

interface BannerProps {
  readonly icon: LucideIcon
  readonly action: string
  readonly onAction: () => void
  readonly children: ReactNode
}

function Banner({ icon, action, onAction, children }: BannerProps) {
  return (
    <div className="flex items-center gap-3 border-b border-draft-line bg-draft-soft py-2 ps-6 pe-4 text-13 narrow:ps-4">
      <Icon of={icon} className="text-draft" />
      <span className="min-w-0 flex-1">{children}</span>
      <Button size="small" onClick={onAction}>
        {action}
      </Button>
    </div>
  )
}

/** Why nothing can be written now; nothing when it can. */
export function useOfflineReason(): string | undefined {
  const t = useTexts(appTexts)
  const { isOnline } = useConnection()
  return isOnline ? undefined : t.offlineWhy
}
