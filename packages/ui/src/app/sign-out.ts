import { showToast } from '../components/toast.tsx'
import { api, baseUrl } from '../data/api.ts'
import { noteSignedIn } from '../data/connection.ts'
import { messageOf } from '../data/errors.ts'
import { forgetKept } from '../explain/asked.ts'

/** Ends the session of this browser, here and at the provider. The page is loaded anew: it knows nothing then. */
export async function signOut(): Promise<void> {
  try {
    const { logoutUrl } = await api.sessions.signOut()
    noteSignedIn(false)
    forgetKept()
    location.assign(logoutUrl || `${baseUrl}/login`)
  } catch (error) {
    showToast(messageOf(error), { isFailure: true })
  }
}
