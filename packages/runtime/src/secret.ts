import { inspect } from 'node:util'

const hidden = '[secret]'

/** A value that logs, JSON and errors do not print; only `reveal` returns it. */
export class Secret {
  readonly #value: string
  /** Shown in its place, for example the URL of a database without its password. */
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
 * Keeps the scheme, the host and the path of a URL. User and query are removed with the password: some
 * servers and drivers take a password there.
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

/** Settings for printing: a secret becomes its `redacted` text. */
export function redactedSettings<T>(settings: T): Printable<T>
export function redactedSettings(settings: unknown): unknown {
  if (settings instanceof Secret) return settings.redacted
  if (Array.isArray(settings)) return settings.map(redactedSettings)
  if (typeof settings !== 'object' || settings === null) return settings
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, redactedSettings(value)]),
  )
}
