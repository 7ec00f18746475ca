import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Segments',
  lead: 'Groups of entities that several flags can share.',
  newSegment: 'New segment',
  search: 'Search segments',
  searchHint: 'Name, key or description',
  view: 'View',
  viewHint: 'View: order, rows and page size',
  sort: 'Order',
  sorts: {
    '-updatedAt': 'Changed last',
    updatedAt: 'Changed first',
    name: 'Name',
    '-name': 'Name, from Z',
    key: 'Key',
    '-createdAt': 'Newest',
    createdAt: 'Oldest',
  },
  density: 'Rows',
  densities: { comfortable: 'Comfortable', compact: 'Compact' },
  pageSize: 'On a page',
  // Columns
  segment: 'Segment',
  members: 'Who is in it',
  match: 'Match',
  usedBy: 'Used by',
  changed: 'Changed',
  more: 'More',
  all: 'all',
  any: 'any',
  of: (count: string) => `of ${count}`,
  everyone: 'Matches everyone',
  flags: (count: number, text: string) => (count === 1 ? '1 flag' : `${text} flags`),
  notUsed: 'not used',
  draft: 'Has changes that are not saved',
  // Rows
  open: 'Open',
  showFlags: 'Show the flags that use it',
  copyKey: 'Copy the key',
  copied: (what: string) => `Copied ${what}`,
  yaml: 'Show as YAML',
  delete: 'Delete…',
  // News and states
  news: (count: number, text: string) =>
    count === 1 ? '1 segment was changed by others' : `${text} segments were changed by others`,
  show: 'Show',
  emptyTitle: (namespace: string) => `No segments in ${namespace} yet`,
  emptyText:
    'A segment says once who belongs to a group, such as customers in Germany. Flags then name the group.',
  createFirst: 'Create the first segment',
  noMatch: (query: string) => `No segment matches “${query}”`,
  noMatchText: 'Names, keys and descriptions are searched.',
  clearSearch: 'Clear the search',
  createIt: (name: string) => `Create “${name}”`,
  // A new one
  titleIn: 'New segment in',
  namePlaceholder: 'Customers in Germany',
  keyTaken: (key: string) => `There is a segment ${key} already.`,
  description: 'Description',
  descriptionPlaceholder: 'Who belongs to it, and why',
  match1: 'Who belongs to it?',
  matchAll: 'Those for whom all constraints match',
  matchAllText: 'Country is Germany, and plan is pro.',
  matchAny: 'Those for whom any constraint matches',
  matchAnyText: 'On the beta plan, or one of three entities.',
  startsEveryone: 'Until it has a constraint it matches everyone.',
  create: 'Create segment',
  created: (name: string, namespace: string) => `${bold(name)} is created in ${namespace}`,
}

export type SegmentsTexts = typeof en

export const segmentsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
