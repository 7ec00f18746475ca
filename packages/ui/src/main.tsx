import './styles/index.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { router } from './app/router.tsx'
import { Toasts } from './components/toast.tsx'
import { queryClient } from './data/api.ts'
import { applyPreferences } from './data/preferences.ts'
import { Texts } from './text/texts.tsx'

applyPreferences()

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')

createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Texts>
          <Tooltip.Provider delay={400}>
            <Toasts>
              <RouterProvider router={router} />
            </Toasts>
          </Tooltip.Provider>
        </Texts>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
