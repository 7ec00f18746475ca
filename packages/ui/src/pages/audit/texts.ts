import { defineTexts } from '../../text/texts.ts'

/** Names of the service that have words of their own; others are shown as they are. */
type Words = Readonly<Record<string, string | undefined>>

const reasons: Words = {
  no_credential: 'no credential was sent',
  unauthenticated: 'the credential is not valid',
  invalid_credential: 'the credential is not valid',
  unknown: 'the credential is not known',
  revoked: 'the credential was revoked',
  expired: 'the credential has expired',
  refused_cookie: 'the session has ended',
  several_cookies: 'more than one session was sent',
  address_refused: 'not from this address',
  namespace_restricted: 'the token is for one namespace',
  method_restricted: 'not with this kind of credential',
  service_account_not_allowed: 'the service account is not allowed',
  cross_site: 'it came from a page of another site',
  not_json: 'it was sent in a form that pages of other sites can send',
  unknown_code: 'the code is not known, was used, or is older than a minute',
  wrong_verifier: 'the code is of another login',
  session_ended: 'the session has ended',
  not_a_session: 'only a browser that is signed in may',
  wrong_state: 'the sign-in was not begun in this browser, or took too long',
  other: 'for other reasons',
}

const ends: Words = {
  replaced: 'another sign-in took its place',
  logout_at_provider: 'signed out at the provider',
  membership: 'no longer a member at the code host',
  'token.deleted': 'its token was deleted',
  'token.rotated': 'its token has a new secret',
  'token.expired': 'its token has expired',
  'session.signed_out': 'its session was signed out',
  'session.ended': 'its session was ended',
}

const providers: Words = { token: 'a token', codehost: 'the code host', cli: 'svc' }

const types: Words = {
  'login.succeeded': 'Signed in',
  'login.refused': 'Refused sign-ins',
  'request.refused': 'Refused requests',
  'workload.exchanged': 'Workloads',
  'session.signed_out': 'Signed out',
  'session.ended': 'Ended sessions',
  'token.created': 'Tokens made',
  'token.rotated': 'New secrets',
  'token.deleted': 'Tokens deleted',
  'token.expired': 'Tokens expired by hand',
  'cli.allowed': 'Logins of svc allowed',
}

const en = {
  title: 'Audit log',
  lead: 'Sign-ins, tokens, sessions and what was refused. What happens to flags is under Changes of each namespace.',
  label: 'Events',
  more: 'Details',
  from: 'From',
  show: (number: string) => `Show event ${number}`,
  hide: (number: string) => `Hide event ${number}`,
  type: 'What',
  types,
  subject: 'About',
  anonymous: 'Anonymous',
  system: 'The service',
  unknown: 'Unknown',
  created: (who: string, token: string) => `${who} made the token ${token}`,
  bootstrapped: (token: string) => `The service made the first token, ${token}`,
  createdByCommand: (token: string) => `The token ${token} was made at the command line`,
  rotated: (who: string, token: string) => `${who} gave the token ${token} a new secret`,
  deleted: (who: string, token: string) => `${who} deleted the token ${token}`,
  expired: (who: string, token: string) => `${who} made the token ${token} expire`,
  cliAllowed: (who: string, host: string) => `${who} let svc on ${host} log in`,
  cliLoggedIn: (who: string, host: string) => `svc on ${host} logged in as ${who}`,
  tokenEnded: (token: string, reason: string) => `The token ${token} has ended: ${reason}`,
  signedIn: (who: string, by: string) => `${who} signed in${by}`,
  signedOut: (who: string) => `${who} signed out`,
  sessionEnded: (who: string, reason: string) => `A session of ${who} was ended: ${reason}`,
  loginRefused: (count: number, text: string, by: string, reason: string) =>
    count === 1
      ? `A sign-in${by} was refused: ${reason}`
      : `${text} sign-ins${by} were refused: ${reason}`,
  requestRefused: (who: string, count: number, text: string, reason: string) =>
    count === 1 ? `${who} was refused: ${reason}` : `${who} was refused ${text} times: ${reason}`,
  strangerRefused: (count: number, text: string, reason: string) =>
    count === 1 ? `A request was refused: ${reason}` : `${text} requests were refused: ${reason}`,
  exchanged: (who: string, count: number, text: string, by: string) =>
    count === 1
      ? `${who} signed in as a workload${by}`
      : `${who} signed in as a workload${by}, ${text} times`,
  other: (who: string, type: string) => `${who}: ${type}`,
  by: (provider: string) => ` with ${provider}`,
  providers,
  reasons,
  ends,
  // Details
  number: 'Event',
  actorId: 'Who, by id',
  subjectId: 'About, by id',
  address: 'Address',
  network: 'Address or network',
  hash: 'Hash',
  details: {
    name: 'Name',
    namespaceKey: 'Namespace',
    expiresAt: 'Expires',
    allowedAddresses: 'Allowed addresses',
    reason: 'Reason',
    previousUntil: 'Old secret holds until',
    provider: 'Provider',
    count: 'How often',
    route: 'Route',
    status: 'HTTP status',
  } as Words,
  never: 'never',
  onlyPerson: (name: string) => `Only what ${name} did`,
  onlySubject: 'Only what is about the same',
  emptyTitle: 'Nothing has happened yet',
  emptyText: 'Sign-ins, tokens and refusals are kept here from now on.',
}

export type AuditTexts = typeof en

export const auditTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
