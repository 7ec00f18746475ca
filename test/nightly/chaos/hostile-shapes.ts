/** A request as it goes over the wire. */
export interface RequestForm {
  readonly method: string
  /** One character a byte. */
  readonly target: string
  /** One character a byte. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: () => string | Buffer
}

/** A request that is made to cost much, and one of the same length that is not. */
export interface HostileShape {
  readonly name: string
  readonly hostile: RequestForm
  readonly harmless: RequestForm
}

/** Makes a text of exactly so many bytes. */
export type Fill = (length: number) => string

/** The same again and again, to the byte. */
export function filled(text: string): Fill {
  return (length) => text.repeat(Math.ceil(length / text.length)).slice(0, length)
}

/** The same again and again, as often as it fits, then spaces. */
export function repeated(text: string): Fill {
  const bytes = Buffer.byteLength(text)
  return (length) => {
    const count = Math.floor(length / bytes)
    return text.repeat(count) + ' '.repeat(length - count * bytes)
  }
}

/** Something new each time, then spaces. */
export function counted(piece: (i: number) => string, from = 0): Fill {
  return (length) => {
    let text = ''
    for (let i = from; ; i++) {
      const next = piece(i)
      if (text.length + next.length > length) return text.padEnd(length)
      text += next
    }
  }
}

/** Between two texts, which count. */
export function between(before: string, fill: Fill, after: string): Fill {
  return (length) => `${before}${fill(length - before.length - after.length)}${after}`
}

export function request(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body: () => string | Buffer = () => '',
): RequestForm {
  return { method, target, headers, body }
}
