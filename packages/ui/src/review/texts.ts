import { bold } from '../text/rich.tsx'
import { defineTexts } from '../text/texts.ts'

const en = {
  // The dialog
  title: (count: number, text: string, name: string) =>
    `${count === 1 ? '1 change' : `${text} changes`} to ${bold(name)} in`,
  together: 'They are saved together, or not at all.',
  view: 'View',
  yamlOf: (name: string) => `${name} as YAML, before and after`,
  nothing: 'Nothing is left to save: what is saved says the same.',
  why: 'Why',
  whyMark: 'optional, in the history',
  save: (namespace: string) => `Save to ${namespace}`,
  saveAgain: (namespace: string) => `Save to ${namespace} again`,
  keepEditing: 'Keep editing',
  asksFirst: (namespace: string) => `${namespace} asks first: saving is a decision of its own.`,
  saved: (name: string, namespace: string) => `Saved ${bold(name)} to ${namespace}`,
  wasSaved: (name: string, namespace: string) =>
    `${bold(name)} was saved to ${namespace}. Only the answer was lost.`,
  saysSo: (name: string, namespace: string) =>
    `${bold(name)} already says so in ${namespace}: others have saved the same.`,
  // What becomes of a save
  lost: 'The answer did not come, so it is not known yet whether it was saved. It is looked up once the server can be reached. The draft is kept.',
  looking: 'Looking whether it was saved.',
  notSaved: 'It was not saved. The draft is kept: save it again.',
  refused: (reason: string) => `It was not saved: ${reason}. The draft is kept.`,
  signedOut:
    'It was not saved: your session has ended. Sign in, then save again. The draft is kept.',
  offline:
    'The server cannot be reached. The draft is kept; it can be saved when the server is back.',
  // News while there is a draft
  news: 'It was changed by others meanwhile.',
  show: 'Show',
  // Effect
  on: 'On',
  off: 'Off',
  now: 'Now',
  afterwards: 'Then',
  onAbout: (share: string) => `On for about ${share}`,
  onEveryone: 'On for everyone',
  onNoOne: 'Off for everyone',
  shareBefore: (share: string) => `${share} before`,
  everyoneBefore: 'everyone before',
  noOneBefore: 'no one before',
  asBefore: 'as before',
  losesNone: 'Nobody who has it loses it.',
  losesShare: (share: string) => `About ${share} lose it.`,
  losesSome: 'Some who have it may lose it, by who is in which segment.',
  takesShare: (share: string) => `It takes On from about ${share}.`,
  takesSome: 'It may take On from some who have it.',
  stillOn: 'Rollouts that give On go on to do so.',
  stillOnFor: (share: string) => `Still On for about ${share} by rollouts.`,
  everyoneGets: (gets: string) => `Everyone gets ${gets}`,
  getBefore: (gets: string) => `${gets} before`,
  codeDefault: 'the code’s default',
  onlyInside: 'Nobody comes in; some may go out.',
  onlyOutside: 'Nobody goes out; some may come in.',
  matchesEveryone: 'Without a constraint it matches everyone.',
  usedBy: (count: number, text: string) =>
    count === 1 ? 'One flag uses it.' : `${text} flags use it.`,
  // Subjects
  rollout: (number: string) => `Rollout ${number}`,
  rule: (number: string) => `Rule ${number}`,
  variant: (key: string) => `Variant ${key}`,
  constraint: (number: string) => `Constraint ${number}`,
  order: {
    rollouts: 'Order of the rollouts',
    rules: 'Order of the rules',
    variants: 'Order of the variants',
    constraints: 'Order of the constraints',
  },
  // What happens to them
  isNew: (what: string) => `${what} is new`,
  isRemoved: (what: string) => `${what} is removed`,
  becomes: (before: string, after: string) => `${before} becomes ${after}`,
  alsoTakes: (what: string, segments: string) => `${what} also takes ${segments}`,
  noLongerTakes: (what: string, segments: string) => `${what} no longer takes ${segments}`,
  otherSegments: (what: string) => `${what} is for other segments`,
  asksAll: (what: string) => `${what} asks for all of its segments`,
  asksAny: (what: string) => `${what} asks for any of its segments`,
  goesUp: (what: string, share: string) => `${what} goes up to ${share}`,
  goesDown: (what: string, share: string) => `${what} goes down to ${share}`,
  serves: (what: string, gets: string) => `${what} serves ${gets}`,
  isForOthers: (what: string) => `${what} is for others`,
  splitsAnew: (what: string) => `${what} splits anew`,
  describedAnew: (what: string) => `${what} is described anew`,
  // The rules as sentences
  ifIn: (segments: string, gets: string) => `If in ${segments}, serve ${gets}.`,
  forShare: (share: string, isFirst: boolean, gets: string) =>
    `For ${share} of ${isFirst ? 'everyone' : 'the rest'}, serve ${gets}.`,
  nothingServed: 'nothing',
  comesToo: (from: string, to: string, gets: string) =>
    `Buckets ${from} to ${to} get ${gets} in addition.`,
  goesOn: (from: string, to: string) => `Buckets ${from} to ${to} go on to the next rule.`,
  addsNobody: (taken: string) =>
    `It adds nobody: a percentage above it has the buckets up to ${taken} already.`,
  addsOnly: (share: string, taken: string) =>
    `It adds ${share}: a percentage above it has the buckets up to ${taken} already.`,
  gap: (share: string, gets: string) =>
    `The other ${share} get the default, ${gets}. Later rules are not asked.`,
  gapNothing: (share: string) =>
    `The other ${share} get the code’s default. Later rules are not asked.`,
  moves: (share: string) => `About ${share} of those whom it answers get another variant.`,
  segmentForEveryone: (name: string) => `${name} has no constraints: it matches everyone.`,
  negationNeeds: (property: string) => `It never matches where ${property} is missing.`,
  // The object itself
  elseGets: (gets: string) => `Everyone else gets ${gets}`,
  isEnabled: 'The flag is enabled',
  isDisabled: 'The flag is disabled',
  rulesAsked: 'Its rules are asked from then on.',
  disabledGets: (gets: string) => `Disabled: everyone gets ${gets}.`,
  defaultBecomes: (gets: string) => `The default is ${gets}`,
  noDefault: 'There is no default',
  renamed: 'The name changes',
  descriptionChanges: 'The description changes',
  tagsChange: 'The tags change',
  metadataChanges: (name: string) => `The metadata ${name} changes`,
  attachmentChanges: (what: string) => `${what} has another attachment`,
  variantRenamed: (what: string) => `${what} has another name`,
  goesTo: (what: string, share: string) => `Its ${share} of ${what} go with it.`,
  matchAll: 'All constraints have to match',
  matchAny: 'Any constraint is enough',
  changes: (what: string) => `${what} changes`,
  // Conflict
  changedBy: (who: string, name: string, when: string) => `${who} changed ${name} ${when}`,
  changedByOthers: (name: string) => `${name} was changed by others`,
  deletedBy: (who: string, name: string, when: string) => `${who} deleted ${name} ${when}`,
  deletedByOthers: (name: string) => `${name} was deleted by others`,
  unnamed: 'Others',
  nothingLost: 'Nothing was saved, nothing is lost.',
  allFit: 'Your changes fit on top of theirs.',
  someFit: (fit: number, fitText: string, askText: string, ask: number) =>
    `${fit === 0 ? 'None' : fitText} of your changes ${fit === 1 ? 'fits' : 'fit'} on top. Choose for ${ask === 1 ? 'one' : askText}.`,
  what: 'What',
  before: 'When you began',
  them: (name: string) => `${name}, saved`,
  you: 'You, draft',
  notChanged: 'not changed',
  removed: 'removed',
  notThere: 'not there',
  none: 'empty',
  taken: 'taken',
  choose: 'Choose',
  result: 'Result',
  takeAll: (name: string) => `Take all of ${name}`,
  backToDraft: 'Back to my draft',
  reviewResult: 'Review the result',
  tookAll: 'Your draft was discarded',
  deletedText: 'Your draft is kept. Bring it back to save your changes on top, or go on later.',
  bringBack: 'Bring it back',
  /** Parts of a rule, after its name. */
  fields: {
    value: 'serves',
    description: 'description',
    name: 'name',
    attachment: 'attachment',
  },
  default: 'Default',
  enabled: 'Enabled',
  elseLabel: 'Everyone else',
  matchType: 'Match',
  nameLabel: 'Name',
  descriptionLabel: 'Description',
  tags: 'Tags',
  metadata: (name: string) => `Metadata ${name}`,
  yes: 'yes',
  no: 'no',
  differences: 'Differences',
}

export type ReviewTexts = typeof en

export const reviewTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
