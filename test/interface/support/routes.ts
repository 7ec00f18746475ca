/** Every route, in a namespace that has `everything()`. */
export function routesOf(namespaceKey: string): readonly string[] {
  const own = [
    'flags',
    'flags?new=boolean',
    'flags/new-checkout',
    'flags/theme',
    'flags/theme/variants',
    'flags/new-checkout/history',
    'flags/new-checkout/settings',
    'segments',
    'segments/germany',
    'console',
    'console?flag=new-checkout&entity=ada',
    'changes',
  ]
  const ofInstallation = [
    ...['tokens', 'sessions', 'audit', 'status', 'settings', 'welcome', 'import'],
    `export?ns=${namespaceKey}`,
    `compare?from=${namespaceKey}&to=default`,
    'cli-login#challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&host=laptop',
  ]
  return [
    ...own.map((page) => `/ns/${namespaceKey}/${page}`),
    ...ofInstallation.map((page) => `/${page}`),
  ]
}
