import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** What a login has left: where, and as whom. */
export interface Profile {
  readonly name: string
  readonly url: string
  readonly token?: string | undefined
  /** Used without `--namespace` and `SVC_NAMESPACE`. */
  readonly namespaceKey?: string | undefined
}

/** `profiles.json` in the folder for settings of the user. */
export function profilesFile({ env }: Pick<Terminal, 'env'>): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'svc/profiles.json')
}

/**
 * The profile of that name, or the current one.
 *
 * @throws {CliError} when there is no profile of that name, or the file cannot be read
 */
export async function findProfile(
  terminal: Pick<Terminal, 'env'>,
  name: string | undefined,
): Promise<Profile | undefined> {
  const file = profilesFile(terminal)
  const { current, profiles } = await readProfiles(file)
  const wanted = name ?? current
  const found = wanted === undefined ? undefined : profiles[wanted]
  if (found !== undefined && wanted !== undefined) return { ...found, name: wanted }
  if (name === undefined) return undefined
  const names = Object.keys(profiles)
  throw new CliError(
    exitCodes.usage,
    `there is no profile "${name}"`,
    names.length === 0 ? '`svc login` makes one.' : `There are: ${names.join(', ')}.`,
  )
}

interface Profiles {
  readonly current?: string
  readonly profiles: Readonly<Record<string, Omit<Profile, 'name'>>>
}

async function readProfiles(file: string): Promise<Profiles> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} }
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    const read = JSON.parse(text) as Profiles
    return { ...read, profiles: read.profiles ?? {} }
  } catch {
    throw new CliError(
      exitCodes.usage,
      `${file} is no JSON`,
      'Delete it and run `svc login` again.',
    )
  }
}
