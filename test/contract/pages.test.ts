import { readFileSync } from 'node:fs'
import { pageRoutes } from '@svc/gateway/interface/pages'
import t from 'tap'

const source = readFileSync(
  new URL('../../../packages/ui/src/app/router.tsx', import.meta.url),
  'utf8',
)

/** A route of the router; one with an id has no path of its own. */
const pattern =
  /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(?:path: '([^']*)'|id: '[^']*')/g

const routes = new Map(
  Array.from(source.matchAll(pattern), ([, name = '', parent = '', path = '']) => [
    name,
    { parent, path: path === '/' ? '' : path },
  ]),
)

function pathOf(name: string): string {
  const route = routes.get(name)
  return route === undefined ? '' : pathOf(route.parent) + route.path
}

t.test(
  'the gateway has a page at each path of the router of the interface, and no other',
  async (t) => {
    t.equal(routes.size, source.match(/ createRoute\(/g)?.length, 'each is read')
    const paths = [...routes.keys()]
      .map((name) => pathOf(name).replaceAll('$', ':') || '/')
      // The page for what is none of them.
      .filter((path) => path !== ':')
    t.strictSame(new Set(pageRoutes), new Set(paths))
  },
)
