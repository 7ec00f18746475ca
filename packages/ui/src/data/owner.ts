import type { Session } from '@svc/client/api'
import { forgetDrafts } from './drafts.ts'

const name = 'svc.owner'

/** What the session storage keeps of a person besides drafts: what was sent of them, and questions. */
const kept = ['svc.sent', 'svc.asked']

/**
 * Drafts and questions of a tab are of the person who made them. They are there again for the same person
 * after the next login. When another signs in they are forgotten.
 */
export function noteOwner(session: Session): void {
  const owner = ownerOf(session)
  try {
    const before = sessionStorage.getItem(name)
    if (before === owner) return
    sessionStorage.setItem(name, owner)
    if (before === null) return
    const names = Object.keys(sessionStorage)
    const others = names.filter((one) => kept.some((start) => one.startsWith(start)))
    for (const one of others) sessionStorage.removeItem(one)
    forgetDrafts()
  } catch {
    // Then nothing is kept.
  }
}

/** Whose the drafts of the tab are, to be compared only; nothing where nothing is kept. */
export function readOwner(): string | null {
  try {
    return sessionStorage.getItem(name)
  } catch {
    return null
  }
}

/** The same for each session of a person, and of a token. */
function ownerOf({ issuer, subject, authentication }: Session): string {
  const { method, metadata } = authentication
  const token = metadata['io.svc.auth.token.name'] ?? ''
  return JSON.stringify([method, issuer, subject || token])
}
