import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { version } from './version.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

t.test('all packages, images and the chart have one version', async (t) => {
  t.match(version, /^\d+\.\d+\.\d+/)
  const packages = globSync('{proto,test,{packages,services,deploy}/*}/package.json', { cwd: root })
  t.ok(packages.length > 7)
  for (const path of packages) {
    t.equal(JSON.parse(readFileSync(`${root}${path}`, 'utf8')).version, version, path)
  }
  const images = readFileSync(`${root}deploy/docker/Dockerfile`, 'utf8')
  t.match(images, `ARG VERSION=${version}\n`)
  const chart = readFileSync(`${root}deploy/helm/Chart.yaml`, 'utf8')
  t.match(chart, `\nversion: ${version}\nappVersion: ${version}\n`)
  const rendered = readFileSync(`${root}deploy/kubernetes/svc.yaml`, 'utf8')
  t.match(rendered, `image: svc-gateway:${version}\n`)
})
