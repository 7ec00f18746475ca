import { Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router'
import clsx from 'clsx'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Waiting } from '../components/skeleton.tsx'
import { namespaceStyle } from '../components/tile.tsx'
import { useConnection } from '../data/connection.ts'
import { useFollow } from '../data/live.ts'
import { setPreferences, usePreferences } from '../data/preferences.ts'
import { useTexts } from '../text/texts.ts'
import { openLayer, useOpenLayer } from './actions.ts'
import { OfflineBanner, SessionBanner } from './banner.tsx'
import { MobileBar } from './mobile-bar.tsx'
import { useShownNamespace } from './namespace.ts'
import { isModalOpen, useShortcuts } from './shortcuts.ts'
import { SideBar } from './side-bar.tsx'
import { appTexts } from './texts.ts'

// Layers are loaded when they are opened.
const Palette = lazy(() => import('./palette/palette.tsx'))
const ShortcutsDialog = lazy(() => import('./shortcuts-dialog/shortcuts-dialog.tsx'))
const NewNamespace = lazy(() => import('./new-namespace/new-namespace.tsx'))
const SessionEnded = lazy(() => import('./session-ended/session-ended.tsx'))

/** The side bar, and the sheet of the page with the colour of its namespace. */
export function Frame() {
  const t = useTexts(appTexts)
  const { namespaceKey } = useParams({ strict: false })
  const { isFolded } = usePreferences()
  const namespace = useShownNamespace()
  const layer = useOpenLayer()
  const { hasSessionEnded } = useConnection()
  /** Whether the page is looked at although the session has ended. */
  const [isLooking, setLooking] = useState(false)
  if (isLooking && !hasSessionEnded) setLooking(false)
  useFollow(namespaceKey)
  useFrameShortcuts(namespace?.key)
  useFocusOnRoute()
  const color = namespaceKey !== undefined && namespace ? namespaceStyle(namespace) : {}
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: below <base> the address would lead to another page */}
      <a
        href="#main"
        className="absolute start-3 -top-16 z-toast rounded-2 bg-ink px-3 py-2 text-on-ink focus:top-3"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        {t.skip}
      </a>
      <div
        style={color}
        className={clsx(
          'narrow:flex narrow:min-h-dvh narrow:flex-col md:grid md:h-dvh md:grid-cols-[var(--w-sidebar-small)_minmax(0,1fr)]',
          !isFolded && 'lg:grid-cols-[var(--w-sidebar)_minmax(0,1fr)]',
        )}
      >
        <MobileBar namespace={namespace} />
        <div className="min-h-0 narrow:hidden">
          <SideBar namespace={namespace} isFolded={isFolded} />
        </div>
        <main
          id="main"
          tabIndex={-1}
          className="relative min-w-0 bg-surface outline-none narrow:flex-1 md:my-2 md:me-2 md:ms-1 md:overflow-auto md:rounded-4 md:border md:border-line md:[scroll-padding:5rem_0_6rem]"
        >
          {namespaceKey !== undefined && (
            <div
              className="sticky top-0 z-[calc(var(--z-bar)+1)] -mb-0.5 h-0.5 bg-(--ns) narrow:hidden"
              aria-hidden="true"
            />
          )}
          <OfflineBanner />
          <SessionBanner isShown={isLooking} onSignIn={() => setLooking(false)} />
          <Suspense fallback={<Waiting>{null}</Waiting>}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <Suspense fallback={null}>
        {layer === 'palette' && <Palette />}
        {layer === 'shortcuts' && <ShortcutsDialog />}
        {layer === 'namespace' && <NewNamespace />}
        {hasSessionEnded && !isLooking && <SessionEnded onClose={() => setLooking(true)} />}
      </Suspense>
    </>
  )
}

function useFrameShortcuts(namespaceKey: string | undefined) {
  const navigate = useNavigate()
  const { isFolded } = usePreferences()
  const go = (to: string) => () => void navigate({ to })
  const within = (page: string) =>
    namespaceKey === undefined ? undefined : go(`/ns/${encodeURIComponent(namespaceKey)}/${page}`)
  useShortcuts({
    // It leads away, and a dialog may hold what is shown once.
    'mod+k': () => !isModalOpen() && openLayer('palette'),
    '?': () => openLayer('shortcuts'),
    '[': () => setPreferences({ isFolded: !isFolded }),
    'g f': within('flags'),
    'g s': within('segments'),
    'g c': within('console'),
    'g h': within('changes'),
    'g a': go('/audit'),
    'g t': go('/tokens'),
    'g u': go('/status'),
  })
}

/** After a change of route the heading of the page gets the focus, and the sheet begins at its top. */
function useFocusOnRoute() {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const shown = useRef(path)
  useEffect(() => {
    if (path === undefined || shown.current === path) return
    const isFirst = shown.current === undefined
    shown.current = path
    if (isFirst) return
    // The page is drawn in the frame after its route is there, and its heading may come with what it loads.
    let watch: MutationObserver | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      const main = document.getElementById('main')
      main?.scrollTo(0, 0)
      if (main === null || focusHeading(main)) return
      const before = document.activeElement
      watch = new MutationObserver(() => {
        const now = document.activeElement
        // A reader who has gone on by then is not taken back.
        if ((now !== before && now !== document.body) || focusHeading(main)) watch?.disconnect()
      })
      watch.observe(main, { childList: true, subtree: true })
      timer = setTimeout(() => watch?.disconnect(), headingMs)
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      watch?.disconnect()
    }
  }, [path])
}

/** How long a heading is waited for, in milliseconds. */
const headingMs = 10_000

/** @returns whether there is a heading; it does not take the focus from what is typed on the page */
function focusHeading(main: HTMLElement): boolean {
  const heading = main.querySelector<HTMLElement>('h1')
  const focused = document.activeElement
  const isTyping = focused?.matches('input, textarea') === true
  const isInPage = isTyping && focused.closest('#main, [role=dialog]') !== null
  if (!isInPage) heading?.focus({ preventScroll: true })
  return heading !== null
}
