import type { Event } from '@svc/client/api'
import type { Format } from '../../text/format.ts'
import { bold } from '../../text/rich.tsx'
import type { AuditTexts } from './texts.ts'

/** What happened, in one sentence with names to be printed bold. */
export function tellEvent(event: Event, t: AuditTexts, { number }: Format): string {
  const who = bold(whoOf(event, t))
  const { type } = event
  const token = bold(detailOf(event, 'name') || event.subjectId.slice(0, 8))
  const provider = detailOf(event, 'provider')
  const by = provider === '' ? '' : t.by(t.providers[provider] ?? provider)
  const count = countOf(event)
  switch (type) {
    case 'token.created': {
      const reason = detailOf(event, 'reason')
      if (reason === 'bootstrap') return t.bootstrapped(token)
      if (reason === 'cli') return t.cliLoggedIn(who, token)
      return reason === 'command' ? t.createdByCommand(token) : t.created(who, token)
    }
    case 'cli.allowed':
      return t.cliAllowed(who, token)
    case 'token.rotated':
      return t.rotated(who, token)
    case 'token.deleted':
    case 'token.expired': {
      // What the command line got ends because its session does.
      const end = t.ends[detailOf(event, 'reason')]
      if (end !== undefined) return t.tokenEnded(token, end)
      return type === 'token.deleted' ? t.deleted(who, token) : t.expired(who, token)
    }
    case 'login.succeeded':
      return t.signedIn(who, by)
    case 'session.signed_out':
      return t.signedOut(who)
    case 'session.ended':
      return t.sessionEnded(who, endOf(event, t))
    case 'login.refused':
      return t.loginRefused(count, number(count), by, reasonOf(event, t))
    case 'request.refused': {
      const isKnown = event.actorId !== 'anonymous'
      const reason = reasonOf(event, t)
      return isKnown
        ? t.requestRefused(who, count, number(count), reason)
        : t.strangerRefused(count, number(count), reason)
    }
    case 'workload.exchanged':
      return t.exchanged(who, count, number(count), by)
    default:
      return t.other(who, type)
  }
}

/** Whether something was not let in. */
export function isRefusal({ type }: Event): boolean {
  return type.endsWith('.refused')
}

/** Who did it, which may be the service itself. */
export function whoOf({ actorId, actorName }: Event, t: AuditTexts): string {
  if (actorId === 'anonymous') return t.anonymous
  if (actorId === 'system') return t.system
  return actorName || actorId.slice(0, 8) || t.unknown
}

/** A member of the details that is a text; empty when there is none. */
export function detailOf({ details }: Event, name: string): string {
  const value = details?.[name]
  return typeof value === 'string' ? value : ''
}

/** How many times it happened within a minute. */
function countOf({ details }: Event): number {
  const count = details?.count
  return typeof count === 'number' ? count : 1
}

function reasonOf(event: Event, t: AuditTexts): string {
  const reason = detailOf(event, 'reason')
  return t.reasons[reason] ?? reason
}

function endOf(event: Event, t: AuditTexts): string {
  const reason = detailOf(event, 'reason')
  return t.ends[reason] ?? reason
}
