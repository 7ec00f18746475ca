import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPackages } from '@svc/npm/pack'
import { command, tryCommand } from './commands.ts'

/** The targets of deploy/docker/Dockerfile that the chart installs. */
const targets = ['gateway', 'auth', 'resource', 'migrate'] as const

/** What the suite runs beside them: databases, and the application. */
const stores = ['postgres:17', 'redis:7']
export const applicationImage = 'svc-suite-application'
/** The example that the chart can bring along. */
const exampleImage = 'svc-example'

const tag = 'suite'
const previous = '1.1.0'

/** A build from nothing takes two minutes on an idle machine. */
const limitMs = 900_000

interface Built {
  /** To be given to the nodes. */
  readonly all: readonly string[]
  readonly tag: string
  /** Of the release before; empty when its commit is not in the history. */
  readonly previousTag: string
}

/** Builds the images of this checkout and of the release before it. @param root the repository */
export async function buildImages(root: string, signal: AbortSignal): Promise<Built> {
  for (const target of targets) {
    signal.throwIfAborted()
    await build(root, target, `svc-${target}:${tag}`)
  }
  await buildApplications(root)
  const hasPrevious = await buildPrevious(root, signal)
  const own = [tag, ...(hasPrevious ? [previous] : [])].flatMap((version) =>
    targets.map((target) => `svc-${target}:${version}`),
  )
  const applications = [applicationImage, exampleImage].map((name) => `${name}:${tag}`)
  const all = [...own, ...applications, ...stores]
  return { all, tag, previousTag: hasPrevious ? previous : '' }
}

async function build(folder: string, target: string, image: string): Promise<void> {
  const file = ['--file', join(folder, 'deploy/docker/Dockerfile'), '--target', target]
  await command('docker', ['build', '--quiet', ...file, '--tag', image, folder], { limitMs })
}

/** With the client as applications install it. */
async function buildApplications(root: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-application-'))
  try {
    const own = join(root, 'test/kubernetes/application')
    await cp(own, folder, { recursive: true })
    const packed = await packPackages({ root, into: folder })
    const client = packed.find(({ name }) => name === '@svc/client')
    if (client === undefined) throw new Error('the client was not packed')
    await command('tar', ['-xzf', client.tarball, '-C', folder])
    const buildWith = async (program: string, name: string) => {
      await cp(join(program, 'main.mjs'), join(folder, 'main.mjs'))
      await command('docker', ['build', '--quiet', '--tag', `${name}:${tag}`, folder], { limitMs })
    }
    await buildWith(own, applicationImage)
    await buildWith(join(root, 'deploy/examples/in-cluster'), exampleImage)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** @returns whether it could: a shallow clone lacks the commit */
async function buildPrevious(root: string, signal: AbortSignal): Promise<boolean> {
  const releases: unknown = JSON.parse(await readFile(join(root, 'releases.json'), 'utf8'))
  const commit = String(Reflect.get(Object(releases), previous))
  const { code } = await tryCommand('git', ['-C', root, 'cat-file', '-e', commit])
  if (code !== 0) return false
  const folder = await mkdtemp(join(tmpdir(), 'svc-previous-'))
  try {
    const archive = join(folder, 'source.tar')
    await command('git', ['-C', root, 'archive', '--output', archive, commit])
    await command('tar', ['-xf', archive, '-C', folder])
    await rm(archive)
    for (const target of targets) {
      signal.throwIfAborted()
      const own = `svc-${target}:${previous}-own`
      await build(folder, target, own)
      // The chart is that of this release.
      const args = ['--build-arg', `IMAGE=${own}`, '--tag', `svc-${target}:${previous}`]
      const context = join(root, 'test/kubernetes/previous')
      await command('docker', ['build', '--quiet', ...args, context], { limitMs })
    }
    return true
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
