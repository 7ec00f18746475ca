import { Outlet, useParams } from '@tanstack/react-router'
import { namespaceStyle } from '../components/tile.tsx'
import { useText } from '../text/text.ts'
import { MobileBar } from './mobile-bar.tsx'
import { useNamespace } from './namespace.ts'
import { SideBar } from './side-bar.tsx'

/** The side bar, and the sheet of the page with the colour of its namespace. */
export function Frame() {
  const t = useText()
  const { namespaceKey } = useParams({ strict: false })
  const namespace = useNamespace(namespaceKey)
  return (
    <>
      <a className="skip" href="#main">
        {t.frame.skip}
      </a>
      <div className="app" style={namespace && namespaceStyle(namespace)}>
        <MobileBar namespace={namespace} />
        <SideBar namespace={namespace} />
        <main id="main" className="sheet" tabIndex={-1}>
          {namespace && <div className="ns-edge" />}
          <Outlet />
        </main>
      </div>
    </>
  )
}
