import { defineTexts } from '../text/texts.ts'

const en = {
  // The answer
  answer: 'Answer',
  nothing: 'Nothing',
  because: (value: string, step: string) => `${value}, because of ${step}`,
  rollout: (place: string) => `rollout ${place}`,
  rule: (place: string) => `rule ${place}`,
  noRolloutMatches: (value: string) => `${value}, because no rollout matches`,
  noRollouts: (value: string) => `${value}, because there is no rollout`,
  noRuleMatches: (value: string) => `${value}, because no rule matches`,
  noRules: (value: string) => `${value}, because there is no rule`,
  leftOut: (value: string, place: string) => `${value}, because rule ${place} leaves a rest`,
  disabled: (value: string) => `${value}, because the flag is disabled`,
  // Why, in a second sentence
  fallsBelow: (entity: string, bucket: string, share: string, value: string) =>
    `${entity} falls into bucket ${bucket}, and those below ${share} get ${value}.`,
  fallsInto: (entity: string, bucket: string, value: string, from: string, to: string) =>
    `${entity} falls into bucket ${bucket}, and ${from} to ${to} get ${value}.`,
  fallsBeyond: (entity: string, bucket: string, end: string) =>
    `${entity} falls into bucket ${bucket}, and the shares end at ${end}.`,
  fallsIntoNone: (entity: string, bucket: string) =>
    `${entity} falls into bucket ${bucket}, whose variant does not exist.`,
  belongsTo: (entity: string, segments: string) => `${entity} is in ${segments}.`,
  noSplit: (entity: string, segments: string) =>
    `${entity} is in ${segments}, and the rule has no split.`,
  elseGets: (value: string) => `Everyone else gets ${value}.`,
  elseGetsDefault: (value: string) => `Everyone else gets the default, ${value}.`,
  noDefault: 'The flag has no default variant: your code takes its own default.',
  everyoneGets: (value: string) => `Disabled: everyone gets ${value}`,
  everyoneGetsNothing: 'Disabled: everyone gets what their code has as default',
  noEntity: 'There is no entity. All requests without one fall into the same bucket.',
  noEntityName: 'an entity without a name',
  leftOutSteps: (place: string) => `What comes from ${place} on is left out, for it is too long.`,
  // The path
  path: 'The way to the answer',
  ifIn: (segments: string) => `If in ${segments}`,
  forShare: (share: string) => `For ${share}`,
  forNone: 'For no entity',
  everyoneElse: (value: string) => `Everyone else gets ${value}`,
  everyoneElseDefault: (value: string) => `Everyone else gets the default, ${value}`,
  everyoneElseNothing: 'Everyone else gets what their code has as default',
  notReached: 'not reached',
  inNone: (count: number): string =>
    count === 1 ? 'not in it' : count === 2 ? 'in neither' : 'in none',
  notInAll: 'not in all of them',
  inIt: 'in it',
  bucketNotBelow: (bucket: string, share: string) => `bucket ${bucket}, not below ${share}`,
  bucketBelow: (bucket: string, share: string) => `Bucket ${bucket} is below ${share}`,
  bucketIn: (bucket: string, value: string) => `Bucket ${bucket} lies in ${value}`,
  bucketBeyond: (bucket: string) => `Bucket ${bucket} lies beyond all shares`,
  bucketHelp: (entity: string, flag: string) =>
    `The bucket comes from ${entity} and ${flag} alone, so it is the same each time.`,
  raising: 'Raising the percentage never takes it away.',
  goOn: 'go on',
  rest: (value: string) => `default, ${value}`,
  restNothing: 'nothing',
  gap: (share: string, value: string) =>
    `The other ${share} get the default, ${value}. Later rules are not asked.`,
  gapNothing: (share: string) =>
    `The other ${share} get what their code has as default. Later rules are not asked.`,
  missingVariant: 'a variant that does not exist',
  noSplitHere: 'It has no split: all whom it matches get the default.',
  needsAll: (count: number, text: string) => (count === 1 ? 'needs 1' : `needs all of ${text}`),
  needsAny: (count: number, text: string) => (count === 1 ? 'needs 1' : `needs any of ${text}`),
  everyoneIsIn: 'has no constraints: everyone is in it',
  segmentMissing: 'does not exist: this never matches',
  itIs: 'it is',
  itIsEmpty: 'it is empty',
  notInContext: 'not in the context',
  needsIt: 'A negation needs it to be there.',
  addIt: 'Add it',
  addToContext: (property: string) => `Add ${property} to the context`,
  noNumber: 'which is no number',
  noBoolean: 'which is neither true nor false',
  noDate: 'which is no date',
  unreadableValue: 'Its own value cannot be read: it never matches.',
  unknownOperator: 'Its type has no such operator: it never matches.',
  showAll: (count: string) => `Show all ${count}`,
  details: 'What it found',
  attachment: 'Attachment',
  open: (step: string) => `Open ${step}`,
  // The question
  entity: 'Entity',
  randomEntity: 'Random entity',
  context: 'Context',
  contextForm: 'Form of the context',
  fields: 'Fields',
  json: 'JSON',
  property: 'Property',
  valueOf: (property: string) => `Value of ${property}`,
  value: 'Value',
  addProperty: 'Property',
  remove: (property: string) => (property === '' ? 'Remove this row' : `Remove ${property}`),
  usedHere: 'used here:',
  notAnObject: 'It has to be a JSON object, such as {"country": "DE"}.',
  nestedInJson: 'Values with parts of their own are shown as JSON.',
  tryIt: 'Try it',
  ofDraft: 'Of the draft, before it is saved',
  openConsole: 'Open console',
  tooLong: 'The segments of this flag have too many constraints to explain it here.',
  cannotExplain: (reason: string) => `This draft cannot be explained: ${reason}`,
  notLoaded: 'It could not be loaded.',
}

export type ExplainTexts = typeof en

export const explainTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
