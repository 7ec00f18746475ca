import { useQuery } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  type ParsedLocation,
  redirect,
} from '@tanstack/react-router'
import { basePath, queryClient } from '../data/api.ts'
import { usePreferences } from '../data/preferences.ts'
import { maxNamespaces, namespacesQuery, viewerQuery } from '../data/queries.ts'
import { readAuditSearch } from '../pages/audit/search.ts'
import { readChangesSearch } from '../pages/changes/search.ts'
import { readCompareSearch } from '../pages/compare/search.ts'
import { readConsoleSearch } from '../pages/console/search.ts'
import { readExportSearch } from '../pages/files/search.ts'
import { readHistorySearch } from '../pages/flag/history/search.ts'
import { readFlagSearch } from '../pages/flag/search.ts'
import { readVariantsSearch } from '../pages/flag/variants/search.ts'
import { readFlagsSearch } from '../pages/flags/search.ts'
import { readLoginSearch } from '../pages/login/search.ts'
import { readSegmentSearch } from '../pages/segment/search.ts'
import { readSegmentsSearch } from '../pages/segments/search.ts'
import { readSessionsSearch } from '../pages/sessions/search.ts'
import { readSettingsSearch } from '../pages/settings/search.ts'
import { readStatusSearch } from '../pages/status/search.ts'
import { readTokensSearch } from '../pages/tokens/search.ts'
import { Frame } from './frame.tsx'
import { NoNamespace, NotFound, PageError } from './page-error.tsx'
import { only, parseSearch, stringifySearch } from './search.ts'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: only(readLoginSearch),
  component: lazyRouteComponent(() => import('../pages/login/login.tsx'), 'LoginPage'),
})

/** The command line asks to be let in. It sends people here, so that this page stands alone. */
const cliLogin = createRoute({
  getParentRoute: () => root,
  path: '/cli-login',
  beforeLoad: requireViewer,
  component: lazyRouteComponent(() => import('../pages/cli-login/cli-login.tsx'), 'CliLoginPage'),
})

/** Without a session the login page comes first, and leads back here. */
async function requireViewer({ location }: { readonly location: ParsedLocation }): Promise<void> {
  const viewer = await queryClient.ensureQueryData(viewerQuery)
  if (viewer.kind === 'none') throw redirect({ to: '/login', search: { back: location.href } })
}

/** Everything that is seen in a session. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  beforeLoad: requireViewer,
  component: Frame,
  notFoundComponent: NotFound,
})

const home = createRoute({ getParentRoute: () => inside, path: '/', component: Home })

/** The flags of the namespace that was looked at last, if it is still there. */
function Home() {
  const { namespaceKey } = usePreferences()
  const { data, error } = useQuery(namespacesQuery)
  if (error !== null && data === undefined) throw error
  if (data === undefined) return null
  const { key = 'default' } = data.find(({ key }) => key === namespaceKey) ?? data[0] ?? {}
  return <Navigate to="/ns/$namespaceKey/flags" params={{ namespaceKey: key }} replace />
}

// Pages of a namespace.
const namespace = createRoute({
  getParentRoute: () => inside,
  path: '/ns/$namespaceKey',
  component: NamespacePages,
})

function NamespacePages() {
  const { namespaceKey } = namespace.useParams()
  const { data } = useQuery(namespacesQuery)
  const isMissing =
    data !== undefined &&
    data.length < maxNamespaces &&
    !data.some(({ key }) => key === namespaceKey)
  if (isMissing) return <NoNamespace namespaceKey={namespaceKey} />
  // What a page holds, such as a selection, or the list before, is of one namespace.
  return <Outlet key={namespaceKey} />
}

const flags = createRoute({
  getParentRoute: () => namespace,
  path: '/flags',
  validateSearch: only(readFlagsSearch),
  component: lazyRouteComponent(() => import('../pages/flags/flags.tsx'), 'FlagsPage'),
})

/** The head and the tabs of a flag; each tab is a page within. */
const flag = createRoute({
  getParentRoute: () => namespace,
  path: '/flags/$flagKey',
  // Its tabs read more of the URL.
  validateSearch: readFlagSearch,
  component: lazyRouteComponent(() => import('../pages/flag/flag.tsx'), 'FlagPage'),
})

const targeting = createRoute({
  getParentRoute: () => flag,
  path: '/',
  component: lazyRouteComponent(
    () => import('../pages/flag/targeting/targeting.tsx'),
    'TargetingPage',
  ),
})

const variants = createRoute({
  getParentRoute: () => flag,
  path: '/variants',
  validateSearch: only(readVariantsSearch),
  component: lazyRouteComponent(
    () => import('../pages/flag/variants/variants.tsx'),
    'VariantsPage',
  ),
})

const history = createRoute({
  getParentRoute: () => flag,
  path: '/history',
  validateSearch: only(readHistorySearch),
  component: lazyRouteComponent(() => import('../pages/flag/history/history.tsx'), 'HistoryPage'),
})

const flagSettings = createRoute({
  getParentRoute: () => flag,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('../pages/flag/settings/settings.tsx'),
    'FlagSettingsPage',
  ),
})

const segments = createRoute({
  getParentRoute: () => namespace,
  path: '/segments',
  validateSearch: only(readSegmentsSearch),
  component: lazyRouteComponent(() => import('../pages/segments/segments.tsx'), 'SegmentsPage'),
})

const segment = createRoute({
  getParentRoute: () => namespace,
  path: '/segments/$segmentKey',
  validateSearch: only(readSegmentSearch),
  component: lazyRouteComponent(() => import('../pages/segment/segment.tsx'), 'SegmentPage'),
})

const consolePage = createRoute({
  getParentRoute: () => namespace,
  path: '/console',
  validateSearch: only(readConsoleSearch),
  component: lazyRouteComponent(() => import('../pages/console/console.tsx'), 'ConsolePage'),
})

const changes = createRoute({
  getParentRoute: () => namespace,
  path: '/changes',
  validateSearch: only(readChangesSearch),
  component: lazyRouteComponent(() => import('../pages/changes/changes.tsx'), 'ChangesPage'),
})

// Pages of the whole installation.
const tokens = createRoute({
  getParentRoute: () => inside,
  path: '/tokens',
  validateSearch: only(readTokensSearch),
  component: lazyRouteComponent(() => import('../pages/tokens/tokens.tsx'), 'TokensPage'),
})

const sessions = createRoute({
  getParentRoute: () => inside,
  path: '/sessions',
  validateSearch: only(readSessionsSearch),
  component: lazyRouteComponent(() => import('../pages/sessions/sessions.tsx'), 'SessionsPage'),
})

const audit = createRoute({
  getParentRoute: () => inside,
  path: '/audit',
  validateSearch: only(readAuditSearch),
  component: lazyRouteComponent(() => import('../pages/audit/audit.tsx'), 'AuditPage'),
})

const status = createRoute({
  getParentRoute: () => inside,
  path: '/status',
  validateSearch: only(readStatusSearch),
  component: lazyRouteComponent(() => import('../pages/status/status.tsx'), 'StatusPage'),
})

const compare = createRoute({
  getParentRoute: () => inside,
  path: '/compare',
  validateSearch: only(readCompareSearch),
  component: lazyRouteComponent(() => import('../pages/compare/compare.tsx'), 'ComparePage'),
})

const importPage = createRoute({
  getParentRoute: () => inside,
  path: '/import',
  component: lazyRouteComponent(() => import('../pages/files/import.tsx'), 'ImportPage'),
})

const exportPage = createRoute({
  getParentRoute: () => inside,
  path: '/export',
  validateSearch: only(readExportSearch),
  component: lazyRouteComponent(() => import('../pages/files/export.tsx'), 'ExportPage'),
})

const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  validateSearch: only(readSettingsSearch),
  component: lazyRouteComponent(() => import('../pages/settings/settings.tsx'), 'SettingsPage'),
})

const welcome = createRoute({
  getParentRoute: () => inside,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../pages/welcome/welcome.tsx'), 'WelcomePage'),
})

/** A page that there is not, within the frame. */
const unknown = createRoute({ getParentRoute: () => inside, path: '$', component: NotFound })

const routeTree = root.addChildren([
  login,
  cliLogin,
  inside.addChildren([
    home,
    namespace.addChildren([
      flags,
      flag.addChildren([targeting, variants, history, flagSettings]),
      segments,
      segment,
      consolePage,
      changes,
    ]),
    tokens,
    sessions,
    audit,
    status,
    compare,
    importPage,
    exportPage,
    settings,
    welcome,
    unknown,
  ]),
])

export const router = createRouter({
  routeTree,
  basepath: basePath || '/',
  parseSearch,
  stringifySearch,
  trailingSlash: 'never',
  // The sheet scrolls, not the window; the frame leads it to its top.
  scrollRestoration: true,
  scrollToTopSelectors: ['#main'],
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: PageError,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
