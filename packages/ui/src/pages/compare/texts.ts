import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Compare and promote',
  lead: 'What differs, and what you want to take over.',
  from: 'From',
  to: 'To',
  swap: 'Swap them',
  choose: 'Choose a namespace',
  chooseTwo: 'Choose two namespaces to see what differs.',
  sameTwice: 'Choose another namespace to compare with.',
  onlyOne: 'There is one namespace. Make another, such as Staging, to compare it with.',
  differ: 'differ',
  onlyIn: (namespace: string) => `only in ${namespace}`,
  same: 'the same',
  flags: 'Flags',
  segments: 'Segments',
  flag: 'Flag',
  segment: 'Segment',
  standings: { differs: 'differs', new: 'new', same: 'same', 'only there': 'only there' },
  notThere: 'not there yet',
  notHere: 'not there',
  constraints: (count: number, text: string) =>
    count === 0 ? 'Everyone' : count === 1 ? '1 constraint' : `${text} constraints`,
  otherwise: 'The same share, other details',
  all: 'Take over all that differ',
  take: (name: string) => `Take over ${name}`,
  onlyDiffering: 'Only what differs',
  none: 'Nothing differs.',
  nothingThere: 'Both are empty.',
  moreRows: (count: string) => `${count} more are not shown.`,
  chosen: 'Chosen',
  counts: (flags: number, flagsText: string, segments: number, segmentsText: string) =>
    [
      ...(flags > 0 ? [flags === 1 ? '1 flag' : `${flagsText} flags`] : []),
      ...(segments > 0 ? [segments === 1 ? '1 segment' : `${segmentsText} segments`] : []),
    ].join(', '),
  clear: 'Clear',
  reviewFor: (namespace: string) => `Review for ${namespace}`,
  // The review
  together: (count: number, text: string) =>
    count === 1
      ? '1 change. Nothing is deleted.'
      : `${text} changes, saved together or not at all. Nothing is deleted.`,
  newFlag: 'New flag.',
  newFlagOff: 'New flag, off at first.',
  newSegment: 'New segment.',
  neededBy: (flags: string) => `Because ${flags} needs it.`,
  alsoUsedBy: (flags: string) => `It is also used by ${flags}, which change with it.`,
  kept: (namespace: string) =>
    `${bold(namespace)} has changed it since it was taken over last, and the source has not: it stays.`,
  conflict: 'Both have changed it since it was taken over last.',
  ours: (namespace: string) => `Keep that of ${namespace}`,
  theirs: (namespace: string) => `Take that of ${namespace}`,
  decide: 'Decide first what is kept where both have changed.',
  differs: (name: string, namespace: string) =>
    `${bold(name)} is not the same in both. Flags in ${namespace} go on with the one of ${namespace}.`,
  takeToo: 'Take it over, too',
  missing: (keys: string) => `Segments that the flags need are in neither: ${keys}.`,
  withState: 'Also take over whether flags are on',
  withStateHelp: 'Without it they stay on or off as they are; new ones are off.',
  back: 'Back',
  saveTo: (namespace: string) => `Save to ${namespace}`,
  nothing: 'Nothing would change.',
  saved: (count: number, text: string, namespace: string) =>
    count === 1
      ? `1 change is saved to ${bold(namespace)}`
      : `${text} changes are saved to ${bold(namespace)}`,
  details: (name: string) => `Differences of ${name}`,
}

export type CompareTexts = typeof en

export const compareTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
