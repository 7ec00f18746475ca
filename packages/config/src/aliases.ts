import { allSettings, sectionKeys, settingByKey, variableOf } from './setting-keys.ts'

/** Names that other flag services and their operators use, and ours; the longer ones first. */
const aliases: readonly (readonly [theirs: string, ours: string])[] = [
  ...ofMethod('github', 'codehost'),
  ...['kubernetes', 'k8s', 'orchestrator'].flatMap((name) => [
    ...ofMethod(`${name}.discovery_url`, 'orchestrator.api_url'),
    ...ofMethod(`${name}.ca_path`, 'orchestrator.ca_file'),
    ...ofMethod(`${name}.service_account_token_path`, 'orchestrator.token_file'),
    ...ofMethod(name, 'orchestrator'),
  ]),
  ...ofMethod('jwt.validate_claims', 'jwt.issuers.<name>'),
  ...ofMethod('jwt', 'jwt.issuers.<name>'),
]

/** As keys of a file, and as variables. */
function ofMethod(theirs: string, ours: string): (readonly [string, string])[] {
  const [from, to] = [`authentication.methods.${theirs}`, `authentication.methods.${ours}`]
  return [
    [from, to],
    [variableOf(from), variableOf(to)],
  ]
}

const known: ReadonlySet<string> = new Set([
  ...settingByKey.keys(),
  ...sectionKeys,
  ...allSettings.flatMap(({ variable, isSecret }) =>
    isSecret ? [variable, `${variable}_FILE`] : [variable],
  ),
])

/** @returns our name for the key or variable, when it is one by which others know it */
export function findAlias(name: string): string | undefined {
  return aliases
    .filter(([theirs]) => name.startsWith(theirs))
    .map(([theirs, ours]) => ours + name.slice(theirs.length))
    .find((ours) => known.has(ours) && ours !== name)
}
