import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { basePath, queryClient } from '../data/api.ts'
import { usePreferences } from '../data/preferences.ts'
import { viewerQuery } from '../data/queries.ts'
import { readFlagsSearch } from '../pages/flags/search.ts'
import { readLoginSearch } from '../pages/login/search.ts'
import { Frame } from './frame.tsx'
import { NotFound, PageError } from './page-error.tsx'

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
})

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: readLoginSearch,
  component: lazyRouteComponent(() => import('../pages/login/login.tsx'), 'LoginPage'),
})

/** Everything that is seen in a session; without one the login page comes first, and leads back here. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  async beforeLoad({ location }) {
    const viewer = await queryClient.ensureQueryData(viewerQuery)
    if (viewer.kind === 'none') throw redirect({ to: '/login', search: { back: location.href } })
    return { viewer }
  },
  component: Frame,
})

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  // The flags of the namespace that was looked at last.
  component: () => (
    <Navigate
      to="/ns/$namespaceKey/flags"
      params={{ namespaceKey: usePreferences().namespaceKey }}
      replace
    />
  ),
})

const namespace = createRoute({ getParentRoute: () => inside, path: '/ns/$namespaceKey' })

const flags = createRoute({
  getParentRoute: () => namespace,
  path: '/flags',
  validateSearch: readFlagsSearch,
  component: lazyRouteComponent(() => import('../pages/flags/flags.tsx'), 'FlagsPage'),
})

const routeTree = root.addChildren([
  login,
  inside.addChildren([home, namespace.addChildren([flags])]),
])

export const router = createRouter({
  routeTree,
  basepath: basePath || '/',
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
