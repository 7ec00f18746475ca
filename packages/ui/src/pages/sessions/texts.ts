import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'Sessions',
  lead: 'Who is signed in, and where from.',
  yours: 'Yours',
  everyones: 'Everyone’s',
  who: 'Who',
  where: 'Where',
  seen: 'Last seen',
  begun: 'Signed in',
  ends: 'Ends',
  end: 'End',
  endOf: (name: string) => `End the session of ${name}`,
  more: (name: string) => `More for ${name}`,
  now: 'now',
  notSeen: 'not yet',
  thisBrowser: 'This browser',
  signOut: 'Sign out',
  oidc: 'OpenID Connect',
  codehost: 'Code host',
  byToken: (name: string) => `Token ${name}`,
  otherWay: 'Another way',
  onlyIn: (namespace: string) => `${namespace} alone`,
  neverEnds: 'never',
  elsewhere: 'Sign out everywhere else',
  nowhereElse: 'You are signed in nowhere else.',
  showAll: (text: string) => `Show all ${text}`,
  askElsewhere: (count: number, text: string) =>
    count === 1 ? 'End your other session?' : `End your ${text} other sessions?`,
  elsewhereText: 'Those browsers have to sign in again. What was not saved there stays there.',
  askEnd: (name: string) => `End the session of ${name}?`,
  endText: 'That browser has to sign in again. Requests with it stop working within 2 s.',
  ended: (name: string) => `The session of ${bold(name)} has ended`,
  endedSome: (count: number, text: string) =>
    count === 1 ? '1 session has ended' : `${text} sessions have ended`,
  search: 'Search sessions',
  searchHint: 'Person or address',
  onlyTheirs: 'Only their sessions',
  person: 'Person',
  askTheirs: (name: string) => `End all sessions of ${name}?`,
  endTheirs: 'End all their sessions…',
  endThem: 'End them',
  theirsText: 'All browsers in which they are signed in have to sign in again.',
  endAll: 'End all sessions…',
  askAll: 'End all sessions?',
  allText: 'Everyone has to sign in again, you too. Tokens of applications stay.',
  moreActions: 'More for all sessions',
  noneOpenText: 'There is no other session.',
  noMatch: 'No session matches.',
  isCut: (text: string) =>
    `The oldest ${text} sessions were read. There are more: look for a person.`,
  notYours: 'You see your own sessions only.',
  openTitle: 'No sign-in is needed here',
  openText: 'This service asks for no credential, so there are no sessions.',
}

export type SessionsTexts = typeof en

export const sessionsTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
