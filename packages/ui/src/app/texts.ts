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
  notLiveHelp: 'Changes of others are not heard at this moment.',
  offline: (time: string) => `Can’t reach the server. This is how it was at ${time}.`,
  offlineWhy: 'The server cannot be reached.',
  tryNow: 'Try now',
  // Session
  endedTitle: 'Your session has ended',
  endedText: 'Sign in again to go on where you were. What you have not saved is kept.',
  endedLater: 'Look at the page',
  // Errors
  errorTitle: 'This could not be loaded',
  errorServer: 'Something went wrong in the service. It is not your doing.',
  errorPage: 'Something went wrong in this page. It is not your doing.',
  errorUnreachable: 'Can’t reach the server.',
  forbiddenTitle: 'You may not see this',
  forbiddenText: 'Whoever runs this service can give you access.',
  missingTitle: 'There is no such page',
  missingText: 'The link may be old, or something in it was mistyped.',
  noObjectTitle: (key: string) => `There is no ${key} here`,
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
