import { splitHosts } from '@svc/runtime'
import { connectFault } from './ports.ts'
import { startError } from './start.errors.ts'

/**
 * The services would wait for a database that cannot be reached. Whether it accepts the role, they find out;
 * and which of several hosts takes writes.
 *
 * @throws {AppError} `failed_precondition` when none of its hosts takes connections
 */
export async function reachDatabase(url: string): Promise<void> {
  const faults = await Promise.all(splitHosts(url).map(hostFault))
  if (faults.includes(undefined)) return
  const places = faults.join(' or ')
  throw startError(`Can't reach PostgreSQL at ${places}. Set SVC_DB_URL if it is elsewhere.`)
}

/** @returns the host, and why it cannot be reached; `undefined` where it can */
async function hostFault(url: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url)
  // Without a host it is a socket in the file system.
  if (hostname === '') return undefined
  const fault = await connectFault(Number(port || 5432), hostname.replace(/^\[|\]$/g, ''))
  return fault === undefined ? undefined : `${hostname}:${port || 5432} (${fault})`
}
