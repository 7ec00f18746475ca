import { type SettingIndex, variableOf } from './setting-index.ts'

/** Names in other flag services, and ours; the longer ones first. */
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

/** @returns our name for a key or variable of another flag service */
export function findAlias(name: string, index: SettingIndex): string | undefined {
  return aliases
    .filter(([theirs]) => name.startsWith(theirs))
    .map(([theirs, ours]) => ours + name.slice(theirs.length))
    .find((ours) => ours !== name && isKnown(ours, index))
}

function isKnown(name: string, index: SettingIndex): boolean {
  const isKey = index.keys.includes(name) || index.sections.has(name) || index.isOpen(name)
  if (isKey || index.isOpenVariable(name) || index.variables.has(name)) return true
  return index.settings.some(({ variable }) => name === variable)
}
