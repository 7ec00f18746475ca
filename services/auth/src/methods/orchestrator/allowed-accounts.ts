/** A service account of the cluster. */
export interface AccountName {
  readonly namespace: string
  readonly name: string
}

/** What a service account gets that may log in. */
export interface Admission {
  /** The only namespace of flags in which its tokens are good; empty when they are good in all. */
  readonly namespaceKey: string
}

/** Which service accounts may log in: nothing for those that may not. */
export type AllowedAccounts = (account: AccountName) => Admission | undefined

/**
 * @param entries `namespace:name` or `namespace:name=flags`, where `*` stands for any characters of
 *   a name and alone for all accounts; the first that fits decides
 */
export function allowedAccounts(entries: readonly string[]): AllowedAccounts {
  const rules = entries.map((entry) => {
    const [pattern = '', namespaceKey = ''] = entry.split('=')
    const [namespace = '', name = namespace] = pattern.split(':')
    return { namespace: toMatcher(namespace), name: toMatcher(name), admission: { namespaceKey } }
  })
  return ({ namespace, name }) =>
    rules.find((rule) => rule.namespace(namespace) && rule.name(name))?.admission
}

/** @returns those that let in every account of the cluster, whatever they bind it to */
export function findBoundless(entries: readonly string[]): string[] {
  return entries.filter((entry) => /^(\*|\*:\*)(=|$)/.test(entry))
}

/** Names are letters, digits, dots and hyphens; so are patterns but for their stars. */
function toMatcher(pattern: string): (name: string) => boolean {
  const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\*+/g, '.*')}$`)
  return (name) => expression.test(name)
}
