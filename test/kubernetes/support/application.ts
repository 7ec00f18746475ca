import type { Test } from '../../support/listen.ts'
import { timeUntil } from '../../support/load.ts'
import { apply, isReady, kubectl, listPods, namespace, tryKubectl } from './cluster.ts'
import { applicationImage } from './images.ts'
import { account, audience, imageTag, type Release } from './release.ts'
import { flagKey } from './traffic.ts'

interface State {
  readonly readyAfterMs: number
  readonly evaluations: number
  readonly failed: number
  readonly exchanges: number
  /** Requests whose client token was not accepted. */
  readonly refused: number
  /** The first 20. */
  readonly errors: readonly string[]
}

export interface Application {
  state(): Promise<State>
}

const name = 'application'
const selector = `app=${name}`

/** What a container needs under the strictest rules of a namespace. */
export const restricted = {
  pod: {
    runAsNonRoot: true,
    runAsUser: 1000,
    fsGroup: 1000,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  container: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
}

/** A pod that exchanges its own token, beside the release; resolves when it has evaluated. */
export async function startApplication(t: Test, release: Release): Promise<Application> {
  const { hostname, port } = new URL(release.url)
  await apply([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: {
            serviceAccountName: account,
            automountServiceAccountToken: false,
            securityContext: restricted.pod,
            containers: [
              {
                name,
                image: `${applicationImage}:${imageTag}`,
                imagePullPolicy: 'Never',
                securityContext: restricted.container,
                env: Object.entries({
                  FLAGS_URL: `http://${hostname}:${port}`,
                  FLAGS_TOKEN_FILE: '/var/run/flags/token',
                  FLAG: flagKey,
                }).map(([name, value]) => ({ name, value })),
                readinessProbe: { httpGet: { path: '/', port: 3000 }, periodSeconds: 1 },
                volumeMounts: [{ name: 'token', mountPath: '/var/run/flags' }],
              },
            ],
            volumes: [
              {
                name: 'token',
                projected: {
                  sources: [
                    { serviceAccountToken: { path: 'token', audience, expirationSeconds: 600 } },
                  ],
                },
              },
            ],
          },
        },
      },
    },
  ])
  t.teardown(async () => {
    await tryKubectl(['delete', 'deployment', name, '--grace-period=1', '--wait=true'])
  })
  const findPod = async () => (await listPods(selector)).find(isReady)
  const isThere = async () => (await findPod()) !== undefined
  if ((await timeUntil(isThere, 60_000)) > 60_000) {
    throw new Error(`the application does not start: ${await kubectl(['logs', '-l', selector])}`)
  }
  const pod = await findPod()
  return {
    async state() {
      const response = await fetch(`http://${pod?.status.podIP}:3000/`)
      return (await response.json()) as State
    },
  }
}
