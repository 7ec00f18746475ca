import t from 'tap'
import { allEnded, kubectl, tryKubectl } from './support/cluster.ts'
import { ensureInstalled, helm, openRelease, releaseName, upgrade } from './support/release.ts'

t.setTimeout(900_000)

/** Secrets that the chart has made and keeps, and the pod of `helm test`; besides, each version of the settings. */
const kept = [
  `pod/${releaseName}-test`,
  ...['bootstrap', 'changes', 'internal'].map((name) => `secret/${releaseName}-${name}`),
]

const kinds =
  'deployments,replicasets,jobs,pods,services,secrets,configmaps,serviceaccounts,roles,rolebindings,' +
  'networkpolicies,poddisruptionbudgets,horizontalpodautoscalers,clusterroles,clusterrolebindings'

async function listObjects(): Promise<readonly string[]> {
  const selector = ['--selector', `app.kubernetes.io/instance=${releaseName}`]
  const text = await kubectl(['get', kinds, ...selector, '--output', 'name'])
  return text.split('\n').filter((line) => line !== '')
}

t.test('helm uninstall leaves what it says, and the Secrets are used again', async (t) => {
  const { token } = await ensureInstalled()
  await helm(['test', releaseName, '--timeout', '120s'])
  t.ok((await listObjects()).length > kept.length)
  await helm(['uninstall', releaseName, '--wait', '--timeout', '220s'])
  await allEnded()
  const left = await listObjects()
  const settings = new RegExp(`^configmap/${releaseName}-config-(gateway|auth|resource)-`)
  t.strictSame(left.filter((one) => !settings.test(one)).toSorted(), kept)
  t.ok(left.length > kept.length, 'the settings stay')

  await upgrade()
  const release = await openRelease()
  t.equal(release.token, token, 'the same first token')
  const { status } = await release.api('GET', '/api/v1/namespaces/default')
  t.equal(status, 200, 'which is still good')
  await helm(['uninstall', releaseName, '--wait', '--timeout', '220s'])
  const selector = ['--selector', `app.kubernetes.io/instance=${releaseName}`]
  await tryKubectl(['delete', 'secrets,configmaps,pods', ...selector])
})
