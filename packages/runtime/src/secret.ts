import { inspect } from 'node:util'

const hidden = '[secret]'

/** A value that is printed only by whoever asks for it by name: logs, JSON and errors hide it. */
export class Secret {
  readonly #value: string
  /** What may be shown in its place, for example where a database is but not its password. */
  readonly redacted: string

  constructor(value: string, redacted: string = hidden) {
    this.#value = value
    this.redacted = redacted
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return hidden
  }

  toJSON(): string {
    return hidden
  }

  [inspect.custom](): string {
    return hidden
  }
}

/**
 * Keeps the scheme, the host and the path. The user goes with the password, for some servers take
 * a password there, and the query goes whole, for drivers take passwords there as well.
 */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return hidden
  const { protocol, username, password, host, pathname } = new URL(url)
  return `${protocol}//${username || password ? `${hidden}@` : ''}${host}${pathname}`
}

type Printable<T> = T extends Secret
  ? string
  : T extends object
    ? { readonly [K in keyof T]: Printable<T[K]> }
    : T

/** The settings as they may be printed: of secrets, only what `redacted` shows. */
export function redactedSettings<T>(settings: T): Printable<T>
export function redactedSettings(settings: unknown): unknown {
  if (settings instanceof Secret) return settings.redacted
  if (Array.isArray(settings)) return settings.map(redactedSettings)
  if (typeof settings !== 'object' || settings === null) return settings
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, redactedSettings(value)]),
  )
}
