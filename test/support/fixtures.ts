import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** Reads `test/fixtures/NAME.yml`, whose text gives each kind of case. */
export function readFixture<T>(name: string): T {
  // This file is test/dist/support/fixtures.js.
  const file = new URL(`../../fixtures/${name}.yml`, import.meta.url)
  return parse(readFileSync(file, 'utf8'), { merge: true }) as T
}

/** `<ab:3>` stands for `ababab`. */
export function expand(text: string): string {
  return text.replace(/<([^<>]+):(\d+)>/g, (_, part: string, count: string) =>
    part.repeat(Number(count)),
  )
}
