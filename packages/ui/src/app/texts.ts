import { bold } from '../text/rich.tsx'
import { defineTexts } from '../text/texts.ts'

const en = {
  skip: 'Skip to content',
  main: 'Main',
  breadcrumb: 'Breadcrumb',
  installation: 'Installation',
  pages: {
    flags: 'Flags',
    segments: 'Segments',
    console: 'Console',
    changes: 'Changes',
    audit: 'Audit log',
    status: 'Status',
    tokens: 'Tokens',
    sessions: 'Sessions',
    compare: 'Compare',
    files: 'Import and export',
    import: 'Import',
    export: 'Export',
    settings: 'Settings',
    welcome: 'First steps',
  },
  menu: 'Menu',
  searchOrGo: 'Search or go to',
  help: 'Help and shortcuts',
  fold: 'Show icons only',
  unfold: 'Show the names',
  // Namespaces
  namespaces: 'Namespaces',
  newNamespace: 'New namespace',
  findNamespace: 'Find a namespace',
  asksFirst: 'Changes are confirmed here',
  counts: (flags: number, text: string) => (flags === 1 ? '1 flag' : `${text} flags`),
  // Person
  signOut: 'Sign out',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  density: 'Rows',
  densities: { comfortable: 'Comfortable', compact: 'Compact' },
  language: 'Language',
  openAccess: 'Open access',
  // Live
  live: 'Live',
  liveHelp: 'Changes of others are shown as they happen.',
  polling: 'Live, every 15 s',
  notLive: 'Not live',
  notLiveHelp: 'Changes of others do not arrive at this moment.',
  isOffline: 'Offline',
  offline: (time: string) => `Can’t reach the server. This is how it was at ${time}.`,
  offlineMore: 'Evaluation goes on in your gateways; nothing can be changed from here.',
  offlineWhy: 'The server cannot be reached.',
  tryNow: 'Try now',
  lost: (name: string) =>
    `${bold(name)}: the answer did not come. It is not known yet whether it was changed.`,
  lostNotDone: (name: string) =>
    `${bold(name)} has not changed so far: the server has probably not got it.`,
  lostUnknown: (name: string, reason: string) =>
    `${bold(name)}: it could not be found out whether it was changed. Reload the page. ${reason}`,
  // Session
  endedTitle: 'Your session has ended',
  endedText: 'Sign in again to go on where you were. What you have not saved is kept.',
  endedLater: 'Look at the page',
  signInAgain: 'Sign in again',
  // Errors
  errorTitle: 'This could not be loaded',
  errorServer: 'Something went wrong in the service. It is not your doing.',
  errorPage: 'Something went wrong in this page. It is not your doing.',
  errorUnreachable: 'Can’t reach the server.',
  forbiddenTitle: 'You may not see this',
  forbiddenText: 'An administrator of this service can give you access.',
  missingTitle: 'There is no such page',
  missingText: 'The link may be old, or something in it was mistyped.',
  noNamespaceTitle: (key: string) => `There is no namespace ${key}`,
  noNamespaceText: 'Choose one that there is, or look whether the link is right.',
  lookAtStatus: 'Look at the status',
  request: 'Request',
  tryAgain: 'Try again',
  toFlags: 'To the flags',
  copyReport: 'Copy for a report',
  // Undo
  undo: 'Undo',
  undone: 'Taken back',
  notUndone: (reason: string) => `Not taken back: ${reason}`,
  liveOn: (reached: string, all: string, ms: string) => `Live on ${reached}/${all} gateways, ${ms}`,
  notYetLive: (reached: string, all: string) => `Live on ${reached}/${all} gateways so far`,
}

export type AppTexts = typeof en

export const appTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
