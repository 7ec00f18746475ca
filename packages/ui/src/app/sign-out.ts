import { useNavigate } from '@tanstack/react-router'
import { showToast } from '../components/toast.tsx'
import { api, queryClient } from '../data/api.ts'
import { noteSignedIn } from '../data/connection.ts'
import { messageOf } from '../data/errors.ts'
import { forgetKept } from '../explain/asked.ts'

/** @returns what ends the session of this browser, here and at the provider */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate()
  return async () => {
    try {
      const { logoutUrl } = await api.sessions.signOut()
      noteSignedIn(false)
      forgetKept()
      if (logoutUrl) return location.assign(logoutUrl)
      await navigate({ to: '/login' })
      queryClient.clear()
    } catch (error) {
      showToast(messageOf(error), { isFailure: true })
    }
  }
}
