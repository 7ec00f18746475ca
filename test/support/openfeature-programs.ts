import { readFileSync } from 'node:fs'

export interface PrintedProgram {
  /** Of its file: `main.mjs` for servers, `app.js` for pages. */
  readonly name: string
  readonly text: string
  /** What it prints. */
  readonly output: string
}

/** The programs of `docs/openfeature.md`. They find the service at `url`; nothing else of them differs. */
export function readPrograms(url: string): readonly PrintedProgram[] {
  // This file is test/dist/support/openfeature-programs.js.
  const page = readFileSync(new URL('../../../docs/openfeature.md', import.meta.url), 'utf8')
  return Array.from(
    page.matchAll(/```js\n\/\/ (\S+)\n(.*?)```\n\nIt prints:\n\n```\n(.*?)```/gs),
    ([, name = '', text = '', output = '']) => ({
      name,
      text: text.replaceAll('http://localhost:8080', url),
      output,
    }),
  )
}
