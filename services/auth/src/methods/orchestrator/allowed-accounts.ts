/** A service account of the cluster. */
export interface AccountName {
  readonly namespace: string
  readonly name: string
}

/**
 * @param entries `namespace:name` or `namespace:name=flags`, where `*` stands for any characters of
 *   a name and alone for all accounts; the first match decides
 * @returns what finds the only namespace of flags in which the tokens of an account are valid: empty
 *   when they are valid in all, `undefined` when the account is not allowed
 */
export function allowedAccounts(entries: readonly string[]) {
  const rules = entries.map((entry) => {
    const [pattern = '', namespaceKey = ''] = entry.split('=')
    const [namespace = '', name = namespace] = pattern.split(':')
    return { namespace: toMatcher(namespace), name: toMatcher(name), namespaceKey }
  })
  return ({ namespace, name }: AccountName): string | undefined =>
    rules.find((rule) => rule.namespace(namespace) && rule.name(name))?.namespaceKey
}

/** @returns the entries that allow every account of the cluster */
export function findBoundless(entries: readonly string[]): string[] {
  return entries.filter((entry) => /^(\*|\*:\*)(=|$)/.test(entry))
}

/** Names are letters, digits, dots and hyphens; so are patterns but for their stars. */
function toMatcher(pattern: string): (name: string) => boolean {
  const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\*+/g, '.*')}$`)
  return (name) => expression.test(name)
}
