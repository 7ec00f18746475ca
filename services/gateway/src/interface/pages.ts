const flag = '/ns/:namespaceKey/flags/:flagKey'

/** The paths of the interface, as its router has them. Everything else is of the API. */
export const pageRoutes: readonly string[] = [
  '/',
  '/login',
  '/cli-login',
  '/welcome',
  '/ns/:namespaceKey',
  '/ns/:namespaceKey/flags',
  flag,
  `${flag}/variants`,
  `${flag}/history`,
  `${flag}/settings`,
  '/ns/:namespaceKey/segments',
  '/ns/:namespaceKey/segments/:segmentKey',
  '/ns/:namespaceKey/console',
  '/ns/:namespaceKey/changes',
  '/tokens',
  '/sessions',
  '/audit',
  '/status',
  '/compare',
  '/import',
  '/export',
  '/settings',
]
