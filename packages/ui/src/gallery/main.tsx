import '../styles/index.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { Toasts } from '../components/toast.tsx'
import { followPreferences } from '../data/preferences.ts'
import { Gallery } from './gallery.tsx'

followPreferences()

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')

createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <Tooltip.Provider delay={400}>
        <Suspense fallback={null}>
          <Toasts>
            <Gallery />
          </Toasts>
        </Suspense>
      </Tooltip.Provider>
    </CSPProvider>
  </StrictMode>,
)
