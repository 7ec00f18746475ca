import { WifiOff } from 'lucide-react'
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
        <div className="flex items-center gap-3 border-b border-draft-line bg-draft-soft py-2 ps-6 pe-4 text-13 narrow:ps-4">
          <Icon of={WifiOff} className="text-draft" />
          <span className="min-w-0 flex-1">
            <b className="font-medium">{t.offline(timeOfDay(lastAnswerAt))}</b>{' '}
            <span className="narrow:hidden">{t.offlineMore}</span>
          </span>
          <Button size="small" onClick={() => void look()}>
            {t.tryNow}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Why nothing can be written now; nothing when it can. */
export function useOfflineReason(): string | undefined {
  const t = useTexts(appTexts)
  const { isOnline } = useConnection()
  return isOnline ? undefined : t.offlineWhy
}
