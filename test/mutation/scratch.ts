import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A copy of what was compiled, in which things may be changed. */
export interface Scratch {
  readonly root: string
  /** Changes a text that stands in a file exactly once. @returns what undoes it */
  change(file: string, from: string, to: string): () => void
  remove(): void
}

/**
 * Packages refer to each other by relative links, so that those of the copy find each other in it;
 * what others have made is linked to as a whole.
 */
export function openScratch(root: string): Scratch {
  const copy = mkdtempSync(join(tmpdir(), 'svc-mutation-'))
  const parts = globSync(
    ['package.json', 'proto', 'packages', 'services', 'deploy', 'docs', 'test'],
    {
      cwd: root,
    },
  )
  for (const part of parts) {
    cpSync(join(root, part), join(copy, part), { recursive: true, verbatimSymlinks: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return {
    root: copy,
    change(file, from, to) {
      const path = join(copy, file)
      const text = readFileSync(path, 'utf8')
      const found = text.split(from).length - 1
      if (found !== 1) throw new Error(`"${from}" stands in ${file} ${found} times, not once`)
      writeFileSync(
        path,
        text.replace(from, () => to),
      )
      return () => writeFileSync(path, text)
    },
    remove: () => rmSync(copy, { recursive: true, force: true }),
  }
}
