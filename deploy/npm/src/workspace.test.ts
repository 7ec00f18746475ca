import t from 'tap'
import type { Manifest } from './manifest.ts'
import { librariesOf } from './workspace.ts'

const manifestOf = (name: string, dependencies: Record<string, string>): Manifest => ({
  name,
  version: '1.0.0',
  description: '',
  license: 'Apache-2.0',
  type: 'module',
  files: [],
  dependencies,
})

t.test('the libraries of what is bundled are found, and no others', async (t) => {
  const manifests = [
    manifestOf('@svc/client', { other: 'catalog:' }),
    manifestOf('@svc/documents', { '@svc/proto': 'workspace:*', yaml: 'catalog:' }),
    manifestOf('@svc/proto', { protobuf: 'catalog:' }),
  ]
  const own = manifestOf('@svc/cli', {
    '@svc/client': 'workspace:^',
    '@svc/documents': 'workspace:*',
    commander: 'catalog:',
  })
  const byName = new Map(manifests.map((manifest) => [manifest.name, manifest]))
  t.strictSame(librariesOf(own, byName), { yaml: 'catalog:', protobuf: 'catalog:' })
})
