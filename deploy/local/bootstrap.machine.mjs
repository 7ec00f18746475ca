import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** The oldest version that this file, npm and the installation work with. */
const oldestNode = '20.19'
/** The version that the services are written for. */
const servicesNode = 24

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/** Throws a sentence where nothing that follows could work. */
export function checkMachine() {
  const current = process.versions.node
  if (current.localeCompare(oldestNode, 'en', { numeric: true }) < 0) {
    throw new Error(`svc needs Node.js ${oldestNode} or later; this is v${current}.`)
  }
  const platform = `${process.platform}-${process.arch}`
  if (!platforms.includes(platform)) {
    throw new Error(
      `svc runs on Linux and macOS, x64 and arm64; this is ${platform}. Use docker compose up.`,
    )
  }
}

/** The Node.js that was installed with the packages, else this one if it is new enough. */
export function findNode(root) {
  const installed = join(root, 'node_modules/.bin/node')
  if (spawnSync(installed, ['--version'], { stdio: 'ignore' }).status === 0) return installed
  if (Number.parseInt(process.versions.node, 10) >= servicesNode) return process.execPath
  throw new Error(
    `On this system svc needs Node.js ${servicesNode} or later; this is ${process.version}.`,
  )
}
