import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The folders that are built, as tsconfig.json lists them. */
function projectsOf(root) {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  return references.map(({ path }) => path)
}

/** What an installation depends on, in one line. */
export function installInputs(root) {
  const manifests = ['.', ...projectsOf(root)].map((folder) => join(folder, 'package.json'))
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) {
    hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

/** What the generated code depends on. */
export function protoInputs(root) {
  return hashOf([installInputs(root), ...list(root, 'proto')])
}

/** What the compiled code depends on. */
export function buildInputs(root) {
  const configurations = ['tsconfig.json', 'tsconfig.base.json'].map((file) => describe(root, file))
  const sources = projectsOf(root).flatMap((project) => list(root, project))
  return hashOf([installInputs(root), ...configurations, ...sources])
}

export function isBuilt(root) {
  return projectsOf(root).every((project) => existsSync(join(root, project, 'dist/.tsbuildinfo')))
}

/** What is made from the sources, or has nothing to do with them. */
const ignored = new Set(['node_modules', 'dist', 'gen'])

/** Every source file below a folder, with its time and size: reading them all would take longer. */
function list(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (ignored.has(entry.name) || entry.name.startsWith('.')) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? list(root, path) : [describe(root, path)]
  })
}

function describe(root, path) {
  const { size, mtimeMs } = statSync(join(root, path))
  return `${path} ${size} ${mtimeMs}`
}

function hashOf(lines) {
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}
