import './styles/index.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { router } from './app/router.tsx'
import { Toasts } from './components/toast.tsx'
import { queryClient } from './data/api.ts'
import { followPreferences } from './data/preferences.ts'
import { followConnection } from './data/reconnect.ts'

followPreferences()
followConnection()

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')

createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Tooltip.Provider delay={400}>
          <Suspense fallback={null}>
            <Toasts>
              <RouterProvider router={router} />
            </Toasts>
          </Suspense>
        </Tooltip.Provider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
