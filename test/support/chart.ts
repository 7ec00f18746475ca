import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'

/** This file is test/dist/support/chart.js. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

export type Labels = Readonly<Record<string, string>>

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold: number
}

export interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly resources: {
    readonly requests: Labels
    readonly limits: { readonly memory: string }
  }
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly startupProbe: Probe
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
}

interface Source {
  readonly secret?: {
    readonly name: string
    readonly items: readonly { readonly key: string; readonly path: string }[]
  }
  readonly serviceAccountToken?: { readonly audience?: string; readonly expirationSeconds: number }
  readonly configMap?: { readonly name: string }
}

export interface Pod {
  readonly metadata: { readonly labels: Labels; readonly annotations?: Labels }
  readonly spec: {
    readonly serviceAccountName: string
    readonly automountServiceAccountToken: boolean
    readonly enableServiceLinks: boolean
    readonly hostNetwork?: boolean
    readonly securityContext: Readonly<Record<string, unknown>>
    readonly terminationGracePeriodSeconds?: number
    readonly restartPolicy?: string
    readonly containers: readonly [Container, ...Container[]]
    readonly volumes: readonly {
      readonly name: string
      readonly configMap?: { readonly name: string }
      readonly projected?: { readonly sources: readonly Source[] }
      readonly emptyDir?: object
    }[]
  }
}

/** Of a NetworkPolicy. */
export interface Rule {
  readonly from?: readonly Peer[]
  readonly to?: readonly Peer[]
  readonly ports?: readonly { readonly protocol: string; readonly port: string | number }[]
}

export interface Peer {
  readonly podSelector?: { readonly matchLabels?: Labels }
  readonly namespaceSelector?: { readonly matchLabels?: Labels }
  readonly ipBlock?: { readonly cidr: string; readonly except: readonly string[] }
}

/** As much of an object of Kubernetes as the tests read. */
export interface Manifest {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Labels
    readonly annotations?: Labels
  }
  readonly data?: Labels
  readonly immutable?: boolean
  readonly rules?: readonly object[]
  readonly subjects?: readonly object[]
  readonly roleRef?: { readonly name: string }
  readonly automountServiceAccountToken?: boolean
  readonly spec: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly selector?: Labels | { readonly matchLabels: Labels }
    readonly podSelector: { readonly matchLabels: Labels }
    readonly strategy?: { readonly rollingUpdate: object }
    readonly template: Pod
    readonly ports?: readonly { readonly port: number; readonly targetPort: string }[]
    readonly clusterIP?: string
    readonly scaleTargetRef?: { readonly name: string }
    readonly minReplicas?: number
    readonly ingress: readonly Rule[]
    readonly egress: readonly Rule[]
    readonly ttlSecondsAfterFinished?: number
  }
}

export function readText(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
}

/** @throws {Error} when a document is not valid YAML */
export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { uniqueKeys: true })
    .map((document) => {
      for (const error of [...document.errors, ...document.warnings]) throw error
      return document.toJS() as Manifest | null
    })
    .filter((manifest) => manifest !== null)
}

/** The values of the chart, each with its default. */
export function defaultValues(): Record<string, unknown> {
  return parse(readText('deploy/helm/values.yaml')) as Record<string, unknown>
}

/** Of an object, what is at `a.b.c`. */
export function set(values: object, path: string, value: unknown): object {
  const [name = '', ...rest] = path.split('.')
  const own = (values as Record<string, unknown>)[name]
  const inner = rest.length === 0 ? value : set((own ?? {}) as object, rest.join('.'), value)
  return { ...values, [name]: inner }
}
