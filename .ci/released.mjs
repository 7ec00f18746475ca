// Writes test/fixtures/released/: the protocol and the migrations of a release, which later builds are held
// against. For the commit after a release:
//   node .ci/released.mjs COMMIT
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [commit = 'HEAD', folder = join(root, 'test/fixtures/released')] = process.argv.slice(2)

const git = (...args) => execFileSync('git', ['-C', root, ...args], { maxBuffer: 2 ** 28 })
const directory = mkdtempSync(join(tmpdir(), 'svc-released-'))
try {
  const paths = ['proto', 'services/auth/migrations', 'services/resource/migrations']
  const input = git('archive', '--format=tar', commit, ...paths, 'test/package.json')
  execFileSync('tar', ['-x', '-C', directory], { input })
  mkdirSync(folder, { recursive: true })

  // The protos import google/api of an installed package.
  const api = 'proto/node_modules/protobufjs/google/api'
  cpSync(join(root, api), join(directory, api), { recursive: true })
  const buf = join(root, 'proto/node_modules/.bin/buf')
  const image = join(folder, 'protocol.binpb')
  const args = ['build', '--path', 'svc', '--exclude-source-info', '-o', image]
  execFileSync(buf, args, { cwd: join(directory, 'proto'), stdio: 'inherit' })

  const migrations = Object.fromEntries(
    ['auth', 'resource'].map((service) => [service, hashesOf(`services/${service}/migrations`)]),
  )
  const { version } = JSON.parse(readFileSync(join(directory, 'test/package.json'), 'utf8'))
  const released = { version, migrations }
  writeFileSync(join(folder, 'migrations.json'), `${JSON.stringify(released, null, 2)}\n`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** SHA-256 of each file, by its name without `.sql`. */
function hashesOf(path) {
  const files = git('ls-tree', '--name-only', commit, `${path}/`).toString().trim().split('\n')
  return Object.fromEntries(
    files.sort().map((file) => {
      const hash = createHash('sha256')
        .update(readFileSync(join(directory, file)))
        .digest('hex')
      return [file.slice(path.length + 1, -'.sql'.length), hash]
    }),
  )
}
