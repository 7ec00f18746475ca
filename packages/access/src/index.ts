export { isAddressRange, isAddressWithin } from './addresses.ts'
export {
  type AssertionFault,
  AssertionReader,
  assertCaller,
  assertionKey,
  type Caller,
} from './assertion.ts'
export { type AuthorizedCaller, authorize } from './authorize.ts'
export {
  type CookieScope,
  clearSessionCookie,
  formatCookie,
  formatSessionCookie,
  sessionCookie,
} from './cookies.ts'
export { isJwtShaped } from './jwt-shape.ts'
export { ticketMac } from './mac.ts'
export { networkOf } from './network.ts'
