import { spawn } from 'node:child_process'
import type { Terminal } from '../terminal.ts'

type Env = Terminal['env']

/**
 * What opens a link on this machine.
 *
 * @returns nothing where there is no browser, as far as that is known
 */
export function browserCommand(
  link: string,
  env: Env,
  platform: NodeJS.Platform = process.platform,
): readonly [command: string, ...args: string[]] | undefined {
  // As other programs read it: several are separated by colons, and %s stands for the link.
  const [own = '', ...args] = (env.BROWSER ?? '').split(':')[0]?.split(' ') ?? []
  if (own !== '' && platform !== 'win32') {
    return args.includes('%s')
      ? [own, ...args.map((arg) => (arg === '%s' ? link : arg))]
      : [own, ...args, link]
  }
  if (platform === 'darwin') return ['open', link]
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', link]
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open', link] : undefined
}

/** Opens a link, which has no secret: others on the machine see it. @returns whether something was started */
export async function openBrowser(link: string, env: Env): Promise<boolean> {
  const [command, ...args] = browserCommand(link, env) ?? []
  if (command === undefined) return false
  // A browser has no use for it, and keeps what it was started with for as long as it runs.
  const { SVC_TOKEN: _, ...others } = env
  const child = spawn(command, args, { stdio: 'ignore', detached: true, env: others })
  child.unref()
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
}
