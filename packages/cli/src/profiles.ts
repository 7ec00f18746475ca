import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CliError, exitCodes } from './exit-codes.ts'
import { replaceFile, withLock } from './private-file.ts'
import type { Terminal } from './terminal.ts'

/** What a login has left: where, and as whom. */
export interface Profile {
  readonly name: string
  readonly url: string
  readonly token?: string | undefined
  /** Used without `--namespace` and `SVC_NAMESPACE`. */
  readonly namespaceKey?: string | undefined
  /** Whether the token was made for this login, and may be ended with it; not one that others may use. */
  readonly isOwnToken?: boolean | undefined
}

type Stored = Omit<Profile, 'name'>

/** `profiles.json` in the folder for settings of the user. */
export function profilesFile({ env }: Pick<Terminal, 'env'>): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'svc/profiles.json')
}

interface FindOptions {
  /** There need be none of that name. */
  readonly mayBeNew?: boolean
  /** Without a name, a file that cannot be read is none: the home of another user, for example. */
  readonly mayBeUnread?: boolean
}

/**
 * The profile of that name, or the current one.
 *
 * @throws {CliError} when there is no profile of that name, or the file cannot be read
 */
export async function findProfile(
  terminal: Pick<Terminal, 'env'>,
  name: string | undefined,
  { mayBeNew = false, mayBeUnread = false }: FindOptions = {},
): Promise<Profile | undefined> {
  const file = profilesFile(terminal)
  const { current, profiles } = await readProfiles(file, mayBeUnread && name === undefined)
  const wanted = name ?? current
  const found = wanted === undefined ? undefined : profiles.get(wanted)
  if (found !== undefined && wanted !== undefined) return { ...found, name: wanted }
  if (name === undefined || mayBeNew) return undefined
  const names = [...profiles.keys()]
  throw new CliError(
    exitCodes.usage,
    `there is no profile "${name}"`,
    names.length === 0 ? '`svc login` makes one.' : `There are: ${names.join(', ')}.`,
  )
}

/**
 * Keeps a profile, which becomes the current one. Others of the file stay as they are, also those that another
 * process writes at the same time.
 *
 * @param name left out: that of the profile for this service or, without one, a name that is free
 * @returns the profile as it is kept, and what it has taken the place of
 */
export async function saveProfile(
  terminal: Pick<Terminal, 'env'>,
  name: string | undefined,
  profile: Stored,
): Promise<{ readonly saved: Profile; readonly replaced: Stored | undefined }> {
  return change(terminal, ({ profiles, current }) => {
    const chosen = name ?? nameFor(profile.url, profiles, current)
    const replaced = profiles.get(chosen)
    profiles.set(chosen, profile)
    const result = { saved: { ...profile, name: chosen }, replaced }
    return { kept: { profiles, current: chosen }, result }
  })
}

/** Forgets a profile. Without the current one, the first of the others takes its place. */
export async function removeProfile(terminal: Pick<Terminal, 'env'>, name: string): Promise<void> {
  await change(terminal, ({ profiles, current }) => {
    profiles.delete(name)
    const next = current === name ? [...profiles.keys()][0] : current
    return { kept: { profiles, current: next }, result: undefined }
  })
}

interface Profiles {
  readonly current: string | undefined
  readonly profiles: Map<string, Stored>
}

async function change<Result>(
  terminal: Pick<Terminal, 'env'>,
  edit: (before: Profiles) => { readonly kept: Profiles; readonly result: Result },
): Promise<Result> {
  const file = profilesFile(terminal)
  try {
    return await withLock(file, async () => {
      const { kept, result } = edit(await readProfiles(file))
      const { current, profiles } = kept
      const content = { current, profiles: Object.fromEntries(profiles) }
      await replaceFile(file, `${JSON.stringify(content, undefined, 2)}\n`)
      return result
    })
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError(exitCodes.usage, `${file} cannot be written: ${(error as Error).message}`)
  }
}

/** A profile of another service is not overwritten by one that has no name. */
function nameFor(
  url: string,
  profiles: ReadonlyMap<string, Stored>,
  current: string | undefined,
): string {
  const isFor = (name: string) => profiles.get(name)?.url === url
  if (current !== undefined && isFor(current)) return current
  const known = [...profiles.keys()].find(isFor)
  if (known !== undefined) return known
  return ['default', new URL(url).host].find((name) => !profiles.has(name)) ?? url
}

async function readProfiles(file: string, mayBeUnread = false): Promise<Profiles> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // In the second case, as with HOME=/dev/null, there can be no file.
    if (code === 'ENOENT' || code === 'ENOTDIR' || mayBeUnread) {
      return { current: undefined, profiles: new Map() }
    }
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${message}`)
  }
  try {
    return toProfiles(JSON.parse(text))
  } catch {
    throw new CliError(
      exitCodes.usage,
      `${file} is damaged: it holds no profiles`,
      'Delete it and run `svc login` again.',
    )
  }
}

/** @throws {TypeError} when they are not what {@link saveProfile} has written */
function toProfiles(read: unknown): Profiles {
  const { current, profiles } = asObject(read)
  return {
    current: current === undefined ? undefined : asText(current),
    profiles: new Map(
      Object.entries(asObject(profiles)).map(([name, value]) => {
        const { url, token, namespaceKey, isOwnToken } = asObject(value)
        return [
          name,
          {
            url: asText(url),
            ...(token !== undefined && { token: asText(token) }),
            ...(namespaceKey !== undefined && { namespaceKey: asText(namespaceKey) }),
            ...(isOwnToken === true && { isOwnToken }),
          },
        ]
      }),
    ),
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  throw new TypeError('no object')
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError('no text')
}
