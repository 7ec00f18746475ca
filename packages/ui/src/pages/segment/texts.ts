import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Segment',
  segments: 'Segments',
  // Head
  missingTitle: (key: string, namespace: string) => `There is no segment ${key} in ${namespace}`,
  missingText: 'The link may be old, or the segment was deleted. The history can bring it back.',
  gone: (name: string) =>
    `${name} was deleted by others. The history can bring it back, and so can a draft when it is saved.`,
  toSegments: 'To the segments',
  createIt: (name: string) => `Create “${name}”`,
  usedBy: (count: number, text: string) =>
    count === 1 ? 'used by 1 flag' : `used by ${text} flags`,
  managedBy: (name: string) => `kept by ${name}`,
  editDetails: 'Edit details',
  copyKey: 'Copy the key',
  copied: (what: string) => `Copied ${what}`,
  yaml: 'Show as YAML',
  delete: 'Delete…',
  // Sentence
  inItWhen: 'An entity is in it when',
  matchType: 'How many constraints have to match',
  all: 'all',
  any: 'any',
  ofThese: 'of these match',
  and: 'and',
  or: 'or',
  everyone: 'It has no constraints, so it matches everyone.',
  constraint: (place: string) => `Constraint ${place}`,
  addConstraint: 'Constraint',
  usedElsewhere: 'Other segments ask about',
  remove: (place: string) => `Remove constraint ${place}`,
  restore: 'Restore',
  removed: 'removed',
  added: 'new',
  edited: 'changed',
  // A constraint
  type: 'Type',
  property: 'Property',
  propertyHint: 'country',
  operator: 'Operator',
  value: 'Value',
  values: 'Values',
  addOrPaste: 'Add or paste a list',
  description: 'Description',
  descriptionHint: 'Why it is there',
  done: 'Done',
  isEntity: 'It is about the id of the entity itself.',
  valueCount: (count: string, max: string) => `${count} of ${max} values.`,
  withCase: 'Upper and lower case count.',
  noValues: 'A list without values: one of them is never met, and none of them by all who have it.',
  needsProperty: (property: string) => `Never matches when ${property} is missing.`,
  isUtc: 'In UTC.',
  inYourTime: (time: string) => `${time} in your time`,
  problems: {
    property: { missing: 'It needs a property.', tooLong: 'At most 255 characters.' },
    operator: 'This type does not have that operator.',
    value: {
      missing: 'It needs a value.',
      tooLong: 'At most 256 KiB.',
      noNumber: (text: string) => `${text} is no number.`,
      noDate: 'It is no date.',
      noList: 'It is no list.',
      tooMany: (max: string) => `At most ${max} values. Put more into a second segment.`,
    },
    description: 'At most 64 KiB.',
  },
  // Draft
  reaches: (count: number, text: string) =>
    count === 1 ? 'Reaches 1 flag' : `Reaches ${text} flags at once`,
  changedByOthers: 'Others have changed it meanwhile',
  discarded: 'The changes are thrown away',
  // Test
  whoIsInIt: 'Who is in it',
  entity: 'Entity',
  entityHint: 'user-42',
  context: 'Context',
  contextHelp: 'Lines such as country = DE, or JSON.',
  wrongLine: (line: string) => `Line ${line} is not of the form name = value.`,
  noJson: 'It is no JSON.',
  isIn: 'In it',
  isNotIn: 'Not in it',
  matching: (count: string, all: string) => `${count} of ${all} match`,
  matches: 'matches',
  notMatches: 'does not match',
  missingActual: 'missing',
  unreadable: (text: string) => `${text} cannot be compared`,
  testFailed: 'The page could not load what evaluates.',
  // Used by
  usedByTitle: (count: number, text: string) =>
    count === 1 ? 'Used by 1 flag' : `Used by ${text} flags`,
  notUsed: 'No flag uses it yet.',
  notUsedText: 'Name it in a rule or a rollout on the page of a flag.',
  more: (count: string) => `And ${count} more`,
  keepsIt: 'As long as a flag uses it, it cannot be deleted.',
  boolean: 'boolean',
  variant: 'variant',
  // Details
  detailsTitle: (name: string) => `Details of ${name} in`,
  name: 'Name',
  nameMissing: 'It needs a name.',
  tooLong: 'At most 255 characters.',
  save: 'Save details',
  detailsSaved: (name: string) => `The details of ${bold(name)} are saved`,
}

export type SegmentTexts = typeof en

export const segmentTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
