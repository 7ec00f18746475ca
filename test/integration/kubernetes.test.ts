import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { startOrchestratorApi } from '../support/orchestrator-api.ts'
import { startStack } from '../support/stack.ts'

/** This file is test/dist/integration/kubernetes.test.js. */
const directory = new URL('../../../deploy/kubernetes/', import.meta.url)

interface ServiceAccount {
  readonly metadata: { readonly name: string; readonly namespace: string }
}

interface Job {
  readonly spec: { readonly template: { readonly spec: Pod } }
}

interface Pod {
  readonly volumes: readonly [
    {
      readonly name: string
      readonly projected: {
        readonly sources: readonly [
          { readonly serviceAccountToken: { audience: string; expirationSeconds: number } },
        ]
      }
    },
  ]
  readonly containers: readonly [
    {
      readonly command: readonly [string, ...string[]]
      readonly args: readonly string[]
      readonly env: readonly { readonly name: string; readonly value: string }[]
      readonly volumeMounts: readonly { readonly mountPath: string }[]
    },
  ]
}

function readManifest(name: string): { readonly text: string; readonly objects: unknown[] } {
  const text = readFileSync(new URL(name, directory), 'utf8')
  const documents = parseAllDocuments(text)
  t.ok(documents.every(({ errors, warnings }) => errors.length + warnings.length === 0))
  return { text, objects: documents.map((document) => document.toJS()) }
}

t.test('only gateways reach auth and resource, by one port each', (t) => {
  const { objects } = readManifest('network-policies.yaml')
  const pods = (component: string) => ({
    matchLabels: { 'app.kubernetes.io/name': 'svc', 'app.kubernetes.io/component': component },
  })
  const ports = { auth: 9001, resource: 9002 }
  const expected = Object.entries(ports).map(([service, port]) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: `svc-${service}`, namespace: 'flags' },
    spec: {
      podSelector: pods(service),
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: pods('gateway') }], ports: [{ protocol: 'TCP', port }] }],
    },
  }))
  t.strictSame(objects, expected)
  const defaults = parse(readFileSync(new URL('../config.yml', directory), 'utf8'))
  for (const [service, port] of Object.entries(ports)) {
    t.match(defaults, { [service]: { listen: new RegExp(`:${port}$`) } }, 'where it listens')
  }
  t.end()
})

t.test('the auth service may create token reviews, and nothing else', async (t) => {
  const [account, role, binding] = readManifest('token-reviews.yaml').objects as [
    ServiceAccount,
    { metadata: { name: string } },
    object,
  ]
  t.match(role, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' })
  t.strictSame((role as { rules?: unknown }).rules, [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  ])
  t.match(binding, {
    kind: 'ClusterRoleBinding',
    roleRef: { kind: 'ClusterRole', name: role.metadata.name },
    subjects: [{ kind: 'ServiceAccount', ...account.metadata }],
  })
})

t.test('the example of a workload', async (t) => {
  const { text, objects } = readManifest('workload.yaml')
  const [account, job] = objects as [ServiceAccount, Job]
  const { spec: pod } = job.spec.template
  const [container] = pod.containers
  const [volume] = pod.volumes
  const [{ serviceAccountToken: mounted }] = volume.projected.sources

  await t.test('has a token for the flag service alone, and few rights', async (t) => {
    t.match(account, { automountServiceAccountToken: false })
    t.match(job, { metadata: { namespace: account.metadata.namespace } })
    t.match(pod, {
      automountServiceAccountToken: false,
      serviceAccountName: account.metadata.name,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    t.strictSame(mounted, { path: 'token', audience: 'flags', expirationSeconds: 600 })
    t.match(container, {
      image: /:\d+\.\d+\.\d+$/,
      volumeMounts: [{ name: volume.name }],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    })
    const tokenFile = container.env.find(({ name }) => name === 'TOKEN_FILE')?.value
    t.equal(tokenFile, `${container.volumeMounts[0]?.mountPath}/token`)
  })

  const hasCurl = await promisify(execFile)('curl', ['--version']).then(
    () => true,
    () => false,
  )
  const skip = hasCurl ? false : 'there is no curl here: the example was not run'
  await t.test('exchanges it and asks, with the settings that it names', { skip }, async (t) => {
    const api = await startOrchestratorApi(t)
    const settings = Object.fromEntries(
      [...text.matchAll(/^# +(SVC_\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]),
    )
    t.equal(Object.keys(settings).length, 3)
    const stack = await startStack(t, { env: { ...api.env, ...settings } })
    const flag = { key: 'checkout', name: 'Checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
    await stack.api('POST', '/api/v1/namespaces/default/flags', flag)

    const { name, namespace } = account.metadata
    const { audience, expirationSeconds: seconds } = mounted
    const token = api.tokenOf(`${namespace}:${name}`, { audiences: [audience], seconds })
    const tokenFile = join(t.testdir(), 'token')
    writeFileSync(tokenFile, token)
    const [program, ...options] = container.command
    const run = () =>
      promisify(execFile)(program, [...options, ...container.args], {
        env: { PATH: process.env.PATH, FLAGS_URL: stack.urls[0], TOKEN_FILE: tokenFile },
      })
    const { stdout } = await run()
    t.match(JSON.parse(stdout), { enabled: true, flagKey: 'checkout' })

    writeFileSync(tokenFile, api.tokenOf(`${namespace}:other`, { audiences: [audience] }))
    await t.rejects(run(), {
      code: 22,
      stderr: /The requested URL returned error: 40\d/,
    })
  })
})
