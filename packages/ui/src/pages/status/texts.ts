import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Status',
  looking: 'Looking',
  fine: 'Everything works',
  fineText: (gateways: number, text: string) =>
    gateways === 1 ? 'The gateway has every change.' : `All ${text} gateways have every change.`,
  fineUnknown: 'This gateway answers and has every change.',
  attention: 'It works, with something to look at',
  findings: {
    unreachable: 'The server cannot be reached',
    draining: 'This gateway is about to end',
    notReady: 'This gateway is not ready yet',
    unknown: 'It is not known whether everything works',
  },
  unreachableText: 'Nothing is known of it at this moment. The page goes on asking.',
  drainingText: 'It answers what it is asked, and load balancers send to others.',
  notReadyText:
    'It has not got its flags, or has not reached auth. It gets no requests until then.',
  unknown: {
    ready: 'This gateway does not say how it is.',
    gateways: 'The gateways cannot be listed.',
    revisions: 'Which gateways have every change cannot be read.',
  },
  stale: {
    flags: (age: string) =>
      `The resource service cannot be reached. Flags are evaluated as they were ${age} ago, and nothing can be changed.`,
    auth: (age: string) =>
      `The auth service cannot be reached for ${age}. Credentials that are known go on; sign-ins do not work.`,
  },
  longTime: 'a while',
  behind: (count: number, text: string, total: string) =>
    count === 1
      ? `One of ${total} gateways is a revision behind and catching up.`
      : `${text} of ${total} gateways are a revision behind and catching up.`,
  silent: (count: number, text: string, total: string) =>
    count === 1
      ? `One of ${total} gateways has not reported for a while. It is forgotten after a minute.`
      : `${text} of ${total} gateways have not reported for a while. They are forgotten after a minute.`,
  old: (count: number, text: string, total: string) =>
    count === 1
      ? `One of ${total} gateways is cut off and evaluates with old flags.`
      : `${text} of ${total} gateways are cut off and evaluate with old flags.`,
  copy: 'Copy for a report',
  docs: 'API documentation',
  namespace: 'Namespace',
  // Cards
  lastChange: 'Last change to answer',
  lastChangeText: (reached: string, total: string) => `On ${reached} of ${total} gateways`,
  lastChangeHelp: 'Until the slowest gateway evaluated with it. SDKs are not counted.',
  notMeasured: 'Not known: the gateways have had it since they started, or for over an hour.',
  revision: 'Revision',
  noChange: 'Nothing was changed yet.',
  by: (name: string) => `by ${name}`,
  flags: 'Flags',
  segments: 'Segments',
  showChanges: 'Show changes',
  build: 'Version',
  runtime: 'Runtime',
  platform: 'Platform',
  release: 'a release',
  preRelease: 'before a release',
  authentication: 'Credentials',
  required: 'needed',
  notRequired: 'not needed',
  // Gateways
  gateways: 'Gateways',
  gatewaysText: (namespace: string) =>
    `Those that have reported within the last minute, for ${namespace}.`,
  noGateways: 'No gateway has reported within the last minute.',
  noGatewaysWhy: (reason: string) => `The list of gateways is not shown: ${reason}.`,
  gateway: 'Gateway',
  arrivedAfter: 'Had the last change after',
  up: 'Up',
  report: 'Last report',
  state: {
    fine: 'has every change',
    behind: 'behind',
    silent: 'silent',
    old: 'cut off',
  },
  notKnown: 'not known',
  ago: (age: string) => `${age} ago`,
  // Behind them
  behindThem: 'What this gateway knows of',
  parts: { flags: 'Flags, from the resource service', auth: 'Credentials, from the auth service' },
  partStates: { waiting: 'nothing yet', current: 'current', stale: 'not reached' },
  partAge: (state: string, age: string) => `${state}, ${age} old`,
  lastLook: (time: string) => `Looked at ${time}. It is asked every five seconds.`,
}

export type StatusTexts = typeof en

export const statusTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
