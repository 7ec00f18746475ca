import { bold } from '../rich.tsx'

export const flags = {
  title: 'Flags',
  newFlag: 'New flag',
  search: 'Search flags',
  searchHint: 'Name, key or description',
  columns: { state: 'State', flag: 'Flag', serves: 'Serves', tags: 'Tags', changed: 'Changed' },
  filters: { type: 'Type', state: 'State', tag: 'Tag', clear: 'Clear filters' },
  boolean: 'boolean',
  variant: 'variants',
  enabled: 'On or enabled',
  disabled: 'Off or disabled',
  emptyTitle: (namespace: string) => `No flags in ${namespace} yet`,
  emptyText: 'A flag is a named question that your code asks. Rules decide who gets which answer.',
  noMatchTitle: 'No flag matches',
  noMatchText: (query: string) => `Nothing has ${query} in its name, key or description.`,
  switchBoolean: (name: string, isOn: boolean) =>
    `${name}: everyone else gets ${isOn ? 'On' : 'Off'}`,
  switchVariant: (name: string, isOn: boolean) => `${name}: ${isOn ? 'enabled' : 'disabled'}`,
  isOn: (name: string, namespace: string) => `${bold(name)} is on in ${namespace}`,
  isOff: (name: string, namespace: string) => `${bold(name)} is off in ${namespace}`,
  notSwitched: (name: string, reason: string) => `${bold(name)} was not changed: ${reason}`,
}
