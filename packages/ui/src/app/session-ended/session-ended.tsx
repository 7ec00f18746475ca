import { useRouterState } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { queryClient } from '../../data/api.ts'
import { readOwner } from '../../data/owner.ts'
import { viewerQuery } from '../../data/queries.ts'
import { Ways } from '../../pages/login/ways.tsx'
import { useTexts } from '../../text/texts.ts'
import { appTexts } from '../texts.ts'

/** Over the page that was open: the way to sign in again and go on with it. */
export default function SessionEnded({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(appTexts)
  const back = useRouterState({ select: ({ location }) => location.href })
  const enter = async () => {
    const owner = readOwner()
    await queryClient.fetchQuery({ ...viewerQuery, staleTime: 0 })
    // Another person begins anew: what is open, and not saved, is of the one before.
    if (readOwner() !== owner) return location.reload()
    await queryClient.invalidateQueries()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.endedTitle}
      footer={<Button onClick={onClose}>{t.endedLater}</Button>}
    >
      <p className="mb-5 text-muted">{t.endedText}</p>
      <Ways back={back} onDone={enter} hasFocus />
    </Dialog>
  )
}
