import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Tokens',
  lead: 'For applications and pipelines. People sign in and have',
  leadSessions: 'sessions',
  newToken: 'New token',
  // Filters
  search: 'Search tokens',
  searchHint: 'Name, description, address',
  worksIn: 'Works in',
  everywhere: 'All namespaces',
  state: 'State',
  states: { expiring: 'Expires soon', expired: 'Expired', unused: 'Never used' },
  kind: 'Kind',
  workloads: 'Workloads',
  sort: 'Sort',
  sorts: {
    name: 'Name',
    '-name': 'Name, Z first',
    '-createdAt': 'Newest first',
    createdAt: 'Oldest first',
    expiresAt: 'Expires first',
    '-usedAt': 'Used last',
  },
  // Table
  token: 'Token',
  idEnds: 'Id ends in',
  expires: 'Expires',
  used: 'Last used',
  made: 'Made',
  more: 'More',
  never: 'never',
  expired: 'expired',
  expiresAt: (when: string) => `Expires ${when}`,
  neverExpires: 'Never expires',
  neverUsed: 'never used',
  from: (address: string) => `from ${address}`,
  first: 'first token',
  firstHelp: 'The service made it at its first start. Revoke it when you have others.',
  cli: 'command line',
  cliHelp: 'svc got it from a session, and it ends with that.',
  onlyOnce: 'It ends with its session. svc login gets another one.',
  oldSecret: (time: string) => `old secret until ${time}`,
  addresses: (count: number, text: string) => (count === 1 ? '1 address' : `${text} addresses`),
  addressesHelp: (list: string) => `Accepted from ${list} alone`,
  rotate: 'New secret…',
  copyId: 'Copy id',
  idCopied: 'The id is copied',
  history: 'What was done with it',
  whatItDid: 'What it did',
  revoke: 'Revoke…',
  onlyStatic: 'The cluster gives it its secret.',
  count: (count: number, text: string) => (count === 1 ? '1 token' : `${text} tokens`),
  isCut: (text: string) => `The oldest ${text} tokens are shown. There are more.`,
  // Empty
  emptyTitle: 'No tokens yet',
  emptyText:
    'An application asks for flags with a token of its own, so that you see what it uses and can end it alone.',
  noMatchTitle: 'No token matches',
  noMatchText: 'No token meets all of these filters.',
  clearFilters: 'Clear filters',
  openTitle: 'No sign-in is needed here',
  openText:
    'This service asks for no credential. To manage tokens, sign in with one that may do so.',
  signIn: 'Sign in',
  // First token
  firstTitle: 'The first token still exists.',
  firstText: (others: number, text: string) =>
    `It may do everything and never expires. ${others === 1 ? 'Another one exists' : `${text} others exist`} by now.`,
  firstUsed: (when: string) => `This one was last used ${when}.`,
  revokeFirst: 'Revoke it…',
  // Revoke
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: 'Requests with this token stop working within 2 s. It cannot be taken back.',
  hasExpired: 'It has expired.',
  revokePast: 'It has expired and is refused already. Its record is taken away.',
  lastUsed: (when: string, address: string) =>
    address === '' ? `Last used ${when}.` : `Last used ${when} from ${address}.`,
  notUsed: 'It was never used.',
  endsYours: 'You are signed in with this token. Your session ends, too.',
  endsSessions: 'Browsers that are signed in with it are signed out.',
  isLast:
    'It is the only token that works everywhere. After it tokens can be managed only after signing in another way.',
  typeName: (name: string) => `It is in use. Type ${name} to revoke it.`,
  typeFirst: 'Type its name first.',
  revokeAction: (name: string) => `Revoke ${name}`,
  revoked: (name: string) => `${bold(name)} is revoked`,
}

export type TokensTexts = typeof en

export const tokensTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
