// The software bill of materials of images, as CycloneDX: the packages of Node.js, by the lockfile, and what the base
// brings. Fails when one has a licence or a package that .ci/denied.json names.
//   node .ci/sbom.mjs DIRECTORY IMAGE…
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Limit of a command, in milliseconds: it reads some hundred small files. */
const commandLimitMs = 120_000

/** @returns standard output */
async function run(command, ...args) {
  const options = { cwd: root, timeout: commandLimitMs, maxBuffer: 2 ** 26 }
  return (await promisify(execFile)(command, args, options)).stdout
}

/** Runs in an image. @returns the packages of Node.js in it and in its base, and those of Debian */
function inventory() {
  const { existsSync, readdirSync, readFileSync } = require('node:fs')

  const packagesIn = (directory) => {
    const found = []
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue
      const path = `${directory}/${entry.name}`
      const file = `${path}/package.json`
      const isInstalled = /\/node_modules\/(?:@[^/]+\/)?[^./@][^/]*$/.test(path)
      if (isInstalled && existsSync(file)) {
        const { name, version, license } = JSON.parse(readFileSync(file, 'utf8'))
        if (name && version) found.push({ name, version, license: license?.type ?? license })
      }
      found.push(...packagesIn(path))
    }
    return found
  }
  const installed = readFileSync('/var/lib/dpkg/status', 'utf8').trim().split('\n\n')
  const packages = installed.map((paragraph) => {
    const read = (field) => new RegExp(`^${field}: (.*)$`, 'm').exec(paragraph)?.[1]
    const name = read('Package')
    const file = `/usr/share/doc/${name}/copyright`
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const licenses = [...text.matchAll(/^License: *([^ ,\n]+)/gm)].map(([, license]) => license)
    const of = { version: read('Version'), architecture: read('Architecture') }
    return { name, ...of, licenses: [...new Set(licenses)] }
  })
  return {
    node: process.versions.node,
    app: packagesIn('/app'),
    beside: packagesIn('/usr/local/lib/node_modules'),
    debian: packages,
  }
}

async function inventoryOf(image) {
  const script = `console.log(JSON.stringify((${inventory})()))`
  const options = ['--rm', '--network=none', '--entrypoint=node']
  return JSON.parse(await run('docker', 'run', ...options, image, '-e', script))
}

/**
 * The bill of an image of ours, whose title names the package that is deployed in it.
 *
 * @throws {Error} when the image has a package that the lockfile does not explain
 */
export async function billOf(image) {
  const name = await labelOf(image, 'title')
  const [bill, inside] = await Promise.all([
    packagesOf(name.replace('svc-', '@svc/')),
    inventoryOf(image),
  ])
  const known = new Set(bill.components.map(({ purl }) => purl))
  const unexplained = inside.app.map(purlOf).filter((purl) => !known.has(purl))
  if (inside.app.length === 0) throw new Error(`${image}: there is no package in /app`)
  if (unexplained.length > 0) {
    throw new Error(`${image}: the lockfile does not have ${unexplained.join(', ')}`)
  }
  bill.metadata.component.version = await labelOf(image, 'version')
  bill.components.push(...baseOf(inside))
  return { name, bill }
}

/** The bill of what a workspace package needs to run; with the web interface, also of what Vite bundled into it. */
export async function packagesOf(deployed) {
  const bill = await lockedPackages(deployed, '--prod')
  const isInterface = ({ purl }) => purl.startsWith('pkg:npm/%40svc/ui@')
  return bill.components.some(isInterface)
    ? withBundle(bill, await lockedPackages('@svc/ui'))
    : bill
}

/** What pnpm knows of the packages that a workspace package depends on. */
async function lockedPackages(name, ...options) {
  const pnpm = /pnpm@[0-9.]+/.exec(await readFile(join(root, 'deploy/docker/Dockerfile'), 'utf8'))
  const format = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6']
  const what = ['--filter', name, 'sbom', ...options, '--sbom-type', 'application']
  return JSON.parse(await run('npx', '--yes', pnpm[0], ...what, ...format))
}

/** What builds or tests the interface and those of our packages that are in it. All else counts as bundled. */
const tools = [
  '@bufbuild/buf',
  '@tailwindcss/vite',
  '@types/react',
  '@types/react-dom',
  '@vitejs/plugin-react',
  'fast-check',
  'protobufjs',
  'tap',
  'ts-proto',
  'vite',
]

/** Adds what the interface depends on but for the tools. They are devDependencies: Node.js needs none of them. */
function withBundle(bill, ofInterface) {
  const toolPurls = tools.map((name) => purlOf({ name, version: '' }))
  const isTool = (purl) => toolPurls.some((tool) => purl.startsWith(tool))
  const edges = new Map(ofInterface.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const root = ofInterface.metadata.component['bom-ref']
  const bundled = new Set([root])
  // A set that grows is iterated to its end.
  for (const ref of bundled) {
    for (const next of edges.get(ref) ?? []) if (!isTool(next)) bundled.add(next)
  }
  const known = new Set(bill.components.map((one) => one['bom-ref']))
  const added = ofInterface.components
    .filter((one) => bundled.has(one['bom-ref']) && !known.has(one['bom-ref']))
    // Scanners pass over what is excluded, as devDependencies are.
    .map(({ scope, properties, ...one }) => one)
  const isAdded = (ref) => ref === root || !known.has(ref)
  const dependencies = [
    ...bill.dependencies.filter(({ ref }) => ref !== root),
    ...[...bundled].filter(isAdded).map((ref) => {
      const dependsOn = (edges.get(ref) ?? []).filter((next) => bundled.has(next))
      return { ref, dependsOn }
    }),
  ]
  return { ...bill, components: [...bill.components, ...added], dependencies }
}

async function labelOf(image, name) {
  const label = `{{index .Config.Labels "org.opencontainers.image.${name}"}}`
  return (await run('docker', 'image', 'inspect', '--format', label, image)).trim()
}

function baseOf({ node, beside, debian }) {
  const components = [
    component(`pkg:generic/node@${node}`, 'node', node, ['MIT']),
    ...beside.map(({ name, version, license }) =>
      component(purlOf({ name, version }), name, version, [license ?? 'none']),
    ),
    ...debian.map(({ name, version, architecture, licenses }) => {
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`
      return component(purl, name, version, licenses)
    }),
  ]
  return [...new Map(components.map((one) => [one.purl, one])).values()]
}

/** `description` tells the base apart: what is in it is not linked with our code. */
function component(purl, name, version, licenses) {
  const named = licenses.map((license) => ({ license: { name: license } }))
  const base = { 'bom-ref': `base:${purl}`, description: inBase }
  return { type: 'library', name, version, purl, licenses: named, ...base }
}

const inBase = 'of the base image'

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/**
 * @param denied `licenses`, where `*` ends a prefix, of packages that our code is linked with; and `packages` by
 *   purl, with or without a version, with the reason
 * @returns a sentence for each component that is denied
 */
export function findDenied({ components }, { licenses, packages }) {
  const isDenied = (id) =>
    licenses.some((one) => (one.endsWith('*') ? id.startsWith(one.slice(0, -1)) : id === one))
  return components.flatMap(({ purl, licenses: own = [], description }) => {
    const [exact] = purl.split('?')
    const reason = packages[exact] ?? packages[exact.slice(0, exact.lastIndexOf('@'))]
    if (reason !== undefined) return [`${exact}: ${reason}`]
    if (description === inBase) return []
    const texts = own.map(({ license, expression }) => expression ?? license.id ?? license.name)
    const refused = texts.length === 0 ? ['none'] : texts.filter((text) => denies(text, isDenied))
    return refused.map((text) => `${exact}: its licence is ${text}`)
  })
}

/** Of several licences to choose from, one that is not denied is enough; where there is more to it, none may be. */
function denies(expression, isDenied) {
  const ids = expression.split(/[()\s]+/).filter((word) => !/^(?:AND|OR|WITH|)$/.test(word))
  const isChoice = / OR /.test(expression) && !/ (?:AND|WITH) /.test(expression)
  return isChoice ? ids.every(isDenied) : ids.some(isDenied)
}

export async function readDenied() {
  return JSON.parse(await readFile(new URL('denied.json', import.meta.url), 'utf8'))
}

async function main([directory, ...images]) {
  if (images.length === 0) throw new Error('usage: node .ci/sbom.mjs DIRECTORY IMAGE…')
  await mkdir(directory, { recursive: true })
  const denied = await readDenied()
  for (const image of images) {
    const { name, bill } = await billOf(image)
    const path = join(directory, `${name}.cdx.json`)
    await writeFile(path, `${JSON.stringify(bill, null, 2)}\n`)
    console.log(`${path}: ${bill.components.length} components`)
    for (const sentence of findDenied(bill, denied)) {
      process.exitCode = 1
      console.error(`${image}: ${sentence}`)
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2))
