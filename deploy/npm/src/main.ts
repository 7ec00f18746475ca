// What `pnpm pack:packages` runs: writes a tarball of each package that is published, and checks it.
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findProblems } from './check.ts'
import { packPackages } from './pack.ts'

/** This file is deploy/npm/dist/main.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

const usage = `Use: pnpm pack:packages [--into DIR] [--repository URL]

  --into DIR         where the tarballs are written (.packages)
  --repository URL   the address in their manifests, as git+https://…, which npm's provenance needs
`

/** @returns the exit code */
async function main(): Promise<number> {
  const options = readOptions()
  if (options === undefined) {
    process.stderr.write(usage)
    return 2
  }
  const packed = await packPackages({ root, ...options })
  let found = 0
  for (const { name, version, tarball, bytes } of packed) {
    console.log(`${name} ${version}  ${(bytes / 1024).toFixed(1)} KB  ${relative('', tarball)}`)
    const problems = await findProblems(tarball)
    for (const problem of problems) console.log(`  ! ${problem}`)
    found += problems.length
  }
  return found === 0 ? 0 : 1
}

function readOptions() {
  try {
    const { values } = parseArgs({
      // pnpm hands on the `--` before the options.
      args: process.argv.slice(2).filter((arg) => arg !== '--'),
      options: { into: { type: 'string' }, repository: { type: 'string' } },
    })
    return { into: values.into ?? `${root}.packages`, repository: values.repository }
  } catch {
    return undefined
  }
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  },
)
