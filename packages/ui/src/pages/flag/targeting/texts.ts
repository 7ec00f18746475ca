import { bold } from '../../../text/rich.tsx'
import { defineTexts } from '../../../text/texts.ts'

const en = {
  title: 'Targeting',
  rail: 'Rules in their order',
  // The start of the rail: before and after the key of the flag
  everyRequest: 'Every request for',
  firstRollout: 'The first rollout that matches answers.',
  firstRule: 'The first rule that matches answers.',
  noRolloutYet: 'No rollout yet, so all go through.',
  noRuleYet: 'No rule yet, so all go through.',
  // What a step is called
  rollout: (place: string) => `rollout ${place}`,
  rule: (place: string) => `rule ${place}`,
  Rollout: (place: string) => `Rollout ${place}`,
  Rule: (place: string) => `Rule ${place}`,
  // Words of a step
  ifIn: 'If in',
  for: 'For',
  ofAll: 'of everyone',
  ofRest: 'of the rest',
  serve: 'serve',
  servesIn: (step: string) => `What ${step} serves`,
  on: 'On',
  off: 'Off',
  aSplit: 'a split',
  codeDefault: 'the code’s default',
  addSegment: (step: string) => `Add a segment to ${step}`,
  segments: 'Segments',
  findSegment: 'Find a segment',
  toSegments: 'All segments',
  new: 'new',
  noSegment: 'It is for no segment. Add one, or remove it.',
  percentageOf: (step: string) => `Percentage of ${step}`,
  shareOf: (variant: string) => `Share of ${variant}`,
  describe: 'Describe it',
  descriptionOf: (step: string) => `Description of ${step}`,
  descriptionHint: 'Why it is here',
  // What a percentage reaches
  goOn: 'go on to the next',
  toElse: 'everyone else',
  takenAbove: (share: string) => `${share} taken above`,
  more: (share: string) => `${share} more`,
  adds: (share: string) => `adds ${share}`,
  addsNone: 'adds nobody',
  addsNoneWhy: 'All percentages of a flag use the same buckets, and these are taken above.',
  addsNoneForAll: 'Everyone is in a segment above.',
  // Tools of a step
  grip: (step: string) => `Reorder ${step}`,
  gripHelp:
    'Press Space to pick up, arrow keys to move, Space to drop, Escape to put back. Alt with arrow up or down moves at once.',
  sortable: 'can be reordered',
  moveUp: (step: string) => `Move ${step} up`,
  moveDown: (step: string) => `Move ${step} down`,
  toTop: 'Move to the top',
  up: 'Move up',
  down: 'Move down',
  isFirst: 'It is the first.',
  isLast: 'It is the last.',
  copy: 'Copy below',
  remove: 'Remove',
  restore: 'Restore',
  restoreIt: (sentence: string) => `Restore: ${sentence}`,
  removed: 'removed',
  added: 'added',
  movedFrom: (place: string) => `was ${place}`,
  fold: 'Fold',
  unfold: (step: string) => `Open ${step}`,
  waits: 'waits',
  pickedUp: (step: string, place: string, count: string) =>
    `${step} is picked up. It is ${place} of ${count}.`,
  nowAt: (step: string, place: string, count: string) => `${step}, now ${place} of ${count}`,
  putBack: (step: string, place: string) => `${step} is put back, as ${place}`,
  // Sentences
  sayIfIn: (segments: string, serves: string) => `If in ${segments}, serve ${serves}`,
  sayFor: (share: string, serves: string) => `For ${share}, serve ${serves}`,
  noEntity: 'no segment',
  // Split
  buckets: (from: string, to: string) => `buckets ${from} – ${to}`,
  total: (share: string) => `Total ${share}`,
  over: (share: string) => `That is ${share} too much. Shares end at 100%.`,
  gap: (share: string, variant: string) =>
    `The other ${share} get the default, ${variant}. Later rules are not asked.`,
  gapCode: (share: string) =>
    `The other ${share} get the code’s default. Later rules are not asked.`,
  gapAll: (variant: string) =>
    `All of them get the default, ${variant}. Later rules are not asked.`,
  gapAllCode: 'All of them get the code’s default. Later rules are not asked.',
  giveTo: (variant: string) => `Give it to ${variant}`,
  evenly: 'Distribute evenly',
  addVariant: 'Variant',
  removeVariant: (variant: string, step: string) => `Remove ${variant} from ${step}`,
  noVariant: (variant: string) => `There is no variant ${variant}`,
  // The end
  else: 'Everyone else',
  everyone: 'Everyone',
  elseServes: 'What everyone else gets',
  // Adding
  addSegmentRollout: 'Segment rollout',
  addPercentageRollout: 'Percentage rollout',
  addRule: 'Rule',
  noSegments: 'There are no segments yet.',
  shareOfSegment: 'A share of a segment',
  onlyAShare: 'Only a share of them…',
  onlyInSegment: 'Only in a segment…',
  firstQuestion: 'Who gets it first?',
  firstHint: 'Start with one of these, or with a rollout of your own.',
  startSegment: (name: string) => `If in ${name}, serve On`,
  startFive: (share: string) => `${share} of everyone`,
  startFiveHelp: 'Always the same ones',
  startHalf: 'Half and half',
  startHalfHelp: 'To compare',
  noRules: 'Everyone gets the default. A rule gives other variants to a segment.',
  // Stop
  stopped: 'Stopped: everyone gets Off',
  stoppedBy: (name: string) => `By ${name}, `,
  stoppedWhy: (comment: string) => `“${comment}”`,
  before: 'What happened before',
  resume: 'Resume',
  resumeAsk: 'Resume…',
  // Disabled
  isDisabled: (variant: string) =>
    `Disabled: everyone gets ${bold(variant)}. The rules are not asked.`,
  isDisabledCode: 'Disabled: everyone gets the code’s default. The rules are not asked.',
  willDisable: (variant: string) =>
    `This draft disables it: everyone gets ${bold(variant)}. Change what that is under “Everyone else”.`,
  willDisableCode:
    'This draft disables it: everyone gets the code’s default. Choose another under “Everyone else”.',
  keepEnabled: 'Keep it enabled',
  // Draft
  otherChanged: (name: string, when: string) => `${name} changed it ${when}`,
  otherChangedSince: 'Others have changed it since',
  fixFirst: (step: string) => `${step} has to be put right first.`,
  discarded: 'The draft is discarded',
  // The flag with variants
  shareTitle: (name: string) => `A share of a segment: ${name} with variants, in`,
  shareSentence:
    'A boolean flag cannot serve a share of a segment: a rollout is for segments or for a percentage of everyone.',
  shareOffer:
    'A flag with the variants on and off can. Its rules are a draft, which you look at before you save it.',
  shareCode: 'Your code asks for it by its own key, and gets on or off.',
  shareLeftOut: 'Percentages of everyone are left out: rules are for segments.',
  shareWhom: 'Segment',
  shareHow: 'Share that gets on',
  chooseSegment: 'Choose a segment',
  shareCreate: 'Create it, and open the draft',
  variantsName: (name: string) => `${name} with variants`,
  // Use it
  languages: { client: 'Node.js', openfeature: 'OpenFeature', terminal: 'Terminal', curl: 'curl' },
  useIt: 'Use it',
  language: 'Language',
  aside: 'Preview',
}

export type TargetingTexts = typeof en

export const targetingTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
