import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { version } from './version.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

t.test('all packages and images have one version', async (t) => {
  t.match(version, /^\d+\.\d+\.\d+/)
  const packages = globSync('{proto,test,{packages,services,deploy}/*}/package.json', { cwd: root })
  t.ok(packages.length > 7)
  for (const path of packages) {
    t.equal(JSON.parse(readFileSync(`${root}${path}`, 'utf8')).version, version, path)
  }
  const images = readFileSync(`${root}deploy/docker/Dockerfile`, 'utf8')
  t.match(images, `ARG VERSION=${version}\n`)
})
