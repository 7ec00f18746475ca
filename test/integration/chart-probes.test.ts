import { findFreePort } from '@svc/local/ports'
import t from 'tap'
import { parseManifests, readText } from '../support/chart.ts'
import { startServiceProcess } from '../support/service-process.ts'

t.test('services answer what the probes of the chart ask', async (t) => {
  const containers = parseManifests(readText('deploy/kubernetes/svc.yaml'))
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => spec.template.spec.containers[0])
  t.equal(containers.length, 3)
  const port = await findFreePort()
  await startServiceProcess(t, 'gateway', {
    SVC_METRICS_PORT: `${port}`,
    SVC_SERVER_HOST: '127.0.0.1',
    SVC_SERVER_HTTP_PORT: '0',
    SVC_AUTH_ADDRESS: '127.0.0.1:1',
    SVC_RESOURCE_ADDRESS: '127.0.0.1:1',
  })
  const statusOf = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    await response.body?.cancel()
    return response.status
  }
  for (const { startupProbe, readinessProbe, livenessProbe } of containers) {
    // Without flags it lives, and is not ready.
    t.equal(await statusOf(startupProbe.httpGet.path), 200)
    t.equal(await statusOf(livenessProbe.httpGet.path), 200)
    t.equal(await statusOf(readinessProbe.httpGet.path), 503)
  }
})
