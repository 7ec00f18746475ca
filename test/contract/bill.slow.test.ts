import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'

interface Component {
  readonly purl: string
  readonly scope?: string
}

interface Bill {
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/** What is denied, in a bill of the gateway's packages: by `.ci/denied.json`, and where React is denied as well. */
const script = `
  import { findDenied, packagesOf, readDenied } from '${new URL('../../../.ci/sbom.mjs', import.meta.url)}'
  const bill = await packagesOf('@svc/gateway')
  const denied = await readDenied()
  const packages = { ...denied.packages, 'pkg:npm/react': 'denied' }
  const sentences = [denied, { ...denied, packages }].map((one) => findDenied(bill, one))
  console.log(JSON.stringify({ bill, sentences }))`

t.test('the bill of the gateway has what is bundled into the web interface', async (t) => {
  const node = ['--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, node, { maxBuffer: 2 ** 26 })
  const read: { bill: Bill; sentences: readonly string[][] } = JSON.parse(stdout)
  const { components, dependencies } = read.bill
  const purls = components.map(({ purl }) => purl)
  const has = (name: string) => purls.some((purl) => purl.startsWith(`pkg:npm/${name}@`))

  await t.test('each package once, and none that scanners pass over', async (t) => {
    const bundled = ['react', '%40codemirror/state', '%40fontsource-variable/geist', 'tailwindcss']
    // The last two are what others need.
    for (const name of [...bundled, 'fastify', 'scheduler', 'crelt']) t.ok(has(name), name)
    t.equal(new Set(purls).size, purls.length)
    t.notOk(components.some(({ scope }) => scope === 'excluded'))
  })

  await t.test('not what builds or tests it', async (t) => {
    for (const name of ['tap', 'typescript', 'vite', 'rolldown', 'esbuild'])
      t.notOk(has(name), name)
  })

  await t.test('with what depends on what, each once', async (t) => {
    const refs = dependencies.map(({ ref }) => ref)
    t.equal(new Set(refs).size, refs.length)
    const ofInterface = dependencies.find(({ ref }) => ref.startsWith('pkg:npm/%40svc/ui@'))
    t.ok(ofInterface?.dependsOn.some((ref) => ref.startsWith('pkg:npm/react@')))
  })

  await t.test('and nothing that is denied, which would be found', async (t) => {
    const [none, react] = read.sentences
    t.strictSame(none, [])
    t.match(react, [/^pkg:npm\/react@\S+: denied$/])
  })
})

t.test('their notices are beside it', async (t) => {
  const site = new URL('../../../packages/ui/dist/site/', import.meta.url)
  const notices = readFileSync(new URL('licenses.md', site), 'utf8')
  for (const name of ['react', '@codemirror/state', 'lucide-react']) {
    t.match(notices, new RegExp(`^## ${name} - .+\\n\\n(?:(?!## ).*\\n)*?Copyright`, 'm'), name)
  }
  t.match(readFileSync(new URL('licenses.fonts.txt', site), 'utf8'), /SIL OPEN FONT LICENSE/)
})
