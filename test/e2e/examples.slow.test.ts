import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import { copyFiles, openExample, startProgram } from '../support/examples.ts'
import { call } from '../support/http.ts'
import { startOrchestratorApi } from '../support/orchestrator-api.ts'
import { type Packages, packForTests } from '../support/packages.ts'
import { startStack } from '../support/stack.ts'
import { startKubelet } from '../support/workload.ts'

/** Where documents have the service, and the application. */
const service = 'http://localhost:8080'
const application = 'http://localhost:3000'

const flag = { key: 'checkout', name: 'Checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
const ready = /^ready: (.*)$/m

t.test('what is printed for applications in Node.js', async (t) => {
  const packages = await packForTests(t)

  await t.test('the lines of the README', async (t) => {
    const { urls, token, api } = await startStack(t)
    const readme = await openExample(t, 'README.md', { [service]: urls[0] })
    const [lines = '', ...others] = readme.blocks('js')
    t.strictSame(others, [], 'there is one block of them')
    t.equal(lines.trim().split('\n').length, 3)
    t.ok(readme.blocks('sh').includes('npm install @svc/client\n'))
    await packages.install(readme.folder, '@svc/client')
    await writeFile(join(readme.folder, 'main.mjs'), lines)
    await api('POST', '/api/v1/namespaces/default/flags', flag)
    for (const node of ['node', process.execPath]) {
      const program = startProgram(t, [node, 'main.mjs'], readme.folder, { SVC_TOKEN: token })
      await program.says(/^true$/m)
      await program.end()
      t.equal(program.errors(), '')
    }
    const without = startProgram(t, ['node', 'main.mjs'], readme.folder, {})
    await without.tells(/`credential\.token` is undefined/)
  })

  for (const name of ['client', 'openfeature']) {
    await t.test(`the first lines of @svc/${name}`, async (t) => {
      const { urls, token, api } = await startStack(t)
      const document = `packages/${name}/README.md`
      const readme = await openExample(t, document, { [service]: urls[0] })
      const [lines = ''] = [...readme.blocks('js'), ...readme.blocks('ts')]
      await packages.install(readme.folder, `@svc/${name}`)
      await writeFile(join(readme.folder, 'main.mjs'), lines)
      await api('POST', '/api/v1/namespaces/default/flags', flag)
      const program = startProgram(t, ['node', 'main.mjs'], readme.folder, { SVC_TOKEN: token })
      await program.says(/^true$/m)
      await program.end()
      t.equal(program.errors(), '')
    })
  }

  await t.test('the first lines of @svc/cli', async (t) => {
    const { urls, token, api } = await startStack(t)
    const readme = await openExample(t, 'packages/cli/README.md', {})
    await packages.install(readme.folder, '@svc/cli')
    await api('POST', '/api/v1/namespaces/default/flags', flag)
    const env = { SVC_URL: urls[0], SVC_TOKEN: token, PATH: pathOf(readme.folder) }
    const program = readme.start('svc flags list', env)
    await program.ended()
    t.match(program.output(), /checkout/)
  })

  await t.test('node-service', async (t) => {
    const { example, env, replaced, stack } = await openService(t, packages)
    await example.run('"type":"BOOLEAN_FLAG_TYPE"', env)
    const first = example.start('node main.mjs', env)
    replaced[application] = await first.says(ready)
    t.equal(await example.run('user=user-42'), 'The new checkout\n')
    await example.run('"enabled":false', env)
    await first.says(/^\d+: checkout$/m)
    t.equal(await example.run('user=user-42'), 'The old checkout\n')
    t.equal(await first.end(), 0)
    t.equal(first.errors(), '')

    await stack.closeGateways()
    const second = example.start('node main.mjs', env)
    replaced[application] = await second.says(ready)
    t.equal(await example.run('user=user-42'), 'The old checkout\n', 'by the last flags')
    t.match(second.errors(), /no news of flags/)
    t.equal(await second.end(), 0)
  })

  await t.test('in-cluster', async (t) => {
    const cluster = await startOrchestratorApi(t)
    const document = 'deploy/examples/in-cluster/README.md'
    const example = await openExample(t, document, {})
    const { folder } = example
    await copyFiles(document, folder)
    await packages.install(folder, '@svc/client')
    const [settings = ''] = example.blocks('sh')
    const { urls, api } = await startStack(t, { env: { ...cluster.env, ...readEnv(settings) } })
    await api('POST', '/api/v1/namespaces/default/flags', flag)

    // The volumes of the pod are folders here.
    const pod = await readPod(join(folder, 'manifest.yaml'))
    await Promise.all(['token', 'data'].map((name) => mkdir(join(folder, name))))
    const file = join(folder, 'token', within('/var/run/secrets/flags', pod.env.FLAGS_TOKEN_FILE))
    const kept = join(folder, 'data', within('/var/lib/flags', pod.env.FLAGS_FILE))
    await startKubelet(t, cluster, { ...pod.token, file })
    const env = { ...pod.env, FLAGS_URL: urls[0], FLAGS_TOKEN_FILE: file, FLAGS_FILE: kept }
    const image = await readFile(join(folder, 'Dockerfile'), 'utf8')
    const command = JSON.parse(/^CMD (.*)$/m.exec(image)?.[1] ?? '[]') as string[]
    const program = startProgram(t, command, folder, { ...env, HOST: '127.0.0.1', PORT: '0' })
    const url = await program.says(ready)
    t.match(await call(url, 'GET', '/healthz'), { status: 200, text: 'ok\n' })
    t.equal((await call(url, 'GET', '/?user=user-42')).text, 'The new checkout\n')
    await api('PUT', '/api/v1/flags/checkout', { name: 'Checkout', enabled: false })
    await program.says(/^\d+: checkout$/m)
    t.equal((await call(url, 'GET', '/?user=user-42')).text, 'The old checkout\n')
    t.equal(await program.end(), 0)
    t.equal(program.errors(), '')
    t.match(await readFile(kept, 'utf8'), /checkout/)
  })
})

/** The example of a service, installed, and a stack for it. */
async function openService(t: Test, packages: Packages) {
  const stack = await startStack(t)
  const [url] = stack.urls
  const document = 'deploy/examples/node-service/README.md'
  const replaced: Record<string, string> = { [service]: url }
  const example = await openExample(t, document, replaced)
  await copyFiles(document, example.folder)
  await packages.install(example.folder, '@svc/client')
  const env = { SVC_TOKEN: stack.token, SVC_URL: url, PORT: '0' }
  return { stack, example, replaced, env }
}

/** Where programs are found that were installed into a folder. */
function pathOf(folder: string): string {
  return `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`
}

/** Lines of `NAME=value`. */
function readEnv(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
}

/** The rest of a path below the mount of a volume. */
function within(mount: string, path = ''): string {
  if (!path.startsWith(`${mount}/`)) throw new Error(`${path} is not in ${mount}`)
  return path.slice(mount.length + 1)
}

interface PodSpec {
  readonly serviceAccountName: string
  readonly volumes: readonly {
    readonly name: string
    readonly projected?: {
      readonly sources: readonly {
        readonly serviceAccountToken: {
          readonly audience: string
          readonly expirationSeconds: number
        }
      }[]
    }
  }[]
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value: string }[]
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  }[]
}

/** What the manifest says of its pods. */
async function readPod(file: string) {
  const objects = parseAllDocuments(await readFile(file, 'utf8')).map((one) => one.toJS())
  const { metadata, spec } = objects.find(({ kind }) => kind === 'Deployment')
  const { serviceAccountName, volumes, containers } = spec.template.spec as PodSpec
  const [container] = containers
  const token = volumes.flatMap(({ projected }) => projected?.sources ?? [])[0]?.serviceAccountToken
  if (container === undefined || token === undefined) throw new Error('there is no projected token')
  return {
    env: Object.fromEntries(container.env.map(({ name, value }) => [name, value])),
    token: {
      account: `${metadata.namespace}:${serviceAccountName}`,
      audience: token.audience,
      seconds: token.expirationSeconds,
    },
  }
}
