// The stack of docker-compose.yml as a project of its own: its commands, and requests to it.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { promisify, stripVTControlCharacters } from 'node:util'

/** The services that go on running. */
export const services = ['proxy', 'gateway', 'auth', 'resource', 'postgres', 'redis']

export const project = `svc-ci-${process.pid}`
const label = `label=com.docker.compose.project=${project}`
const root = new URL('..', import.meta.url)

/** The settings of an operator, which Compose always reads. */
const settingsFile = new URL('../.env', import.meta.url)
if (existsSync(settingsFile)) throw new Error('move .env away: the stack is tested without it')

/** Limit of a command. Building from nothing on two cores takes two minutes. */
const commandLimitMs = 8 * 60_000

/** The published port: the one that the README names, if it is free. */
export const port = (await freePort(8080)) ?? (await freePort(0))

const env = {
  ...process.env,
  COMPOSE_PROJECT_NAME: project,
  COMPOSE_ANSI: 'never',
  BUILDKIT_PROGRESS: 'plain',
  SVC_PORT: String(port),
}

/** @returns what the command printed; throws with all of it when it ends with another code than 0 */
export async function run(command, args, more = {}) {
  const options = { cwd: root, env: { ...env, ...more }, timeout: commandLimitMs }
  const running = promisify(execFile)(command, args, { ...options, maxBuffer: 2 ** 28 })
  running.child.stdin.end()
  return running.then(
    ({ stdout }) => stdout,
    (error) => {
      const printed = `${error.stdout}\n${error.stderr}`.trim().split('\n').slice(-100).join('\n')
      throw new Error(`${command} ${args.join(' ')}: exit code ${error.code}\n${printed}`)
    },
  )
}

export const docker = (...args) => run('docker', args)
export const compose = (...args) => run('docker', ['compose', ...args])
/** The same, with variables in the shell. */
export const composeWith = (env, ...args) => run('docker', ['compose', ...args], env)

export const writeSettings = (...lines) => writeFile(settingsFile, `${lines.join('\n')}\n`)

/** @returns the lines that are not empty, without terminal control sequences */
export const lines = (text) =>
  stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line !== '')

export const startUp = (...args) =>
  compose('up', '--detach', '--wait', '--wait-timeout', '120', ...args)

export async function takeDown() {
  const all = { COMPOSE_PROFILES: 'oidc,observability' }
  await composeWith(all, 'down', '--volumes', '--rmi', 'local')
  await rm(settingsFile, { force: true })
}

/** All containers, volumes, networks and images of this project. */
export async function leftovers() {
  const found = [await docker('image', 'ls', '--quiet', `${project}-*`)]
  for (const command of [
    ['ps', '--all'],
    ['volume', 'ls'],
    ['network', 'ls'],
  ]) {
    found.push(await docker(...command, '--quiet', '--filter', label))
  }
  return found.flatMap(lines)
}

export const containers = async (...names) =>
  lines(await compose('ps', '--all', '--quiet', ...names))

export const inspect = async (format, ...ids) =>
  lines(await docker('inspect', '--format', format, ...ids))

/** Runs a shell command in an image of ours, as its user and in its working directory. */
export const inImage = (target, line) =>
  docker('run', '--rm', '--network=none', '--entrypoint=sh', `${project}-${target}`, '-c', line)

/** @returns what a function returns in a new container, in one of the networks */
export async function inNetwork(network, work, args) {
  const script = `(${work})(...${JSON.stringify(args)}).then((a) => console.log(JSON.stringify(a)))`
  const options = ['--rm', `--network=${project}_${network}`, '--entrypoint=node']
  return JSON.parse(await docker('run', ...options, `${project}-gateway`, '-e', script))
}

export async function networkOf(name) {
  const [network] = JSON.parse(await docker('network', 'inspect', `${project}_${name}`))
  return network
}

/** The networks of a service that are not internal. */
export async function openNetworksOf(service) {
  const [id] = await containers(service)
  const [networks] = await inspect('{{json .NetworkSettings.Networks}}', id)
  const names = Object.keys(JSON.parse(networks)).map((name) => name.slice(project.length + 1))
  const internal = await Promise.all(names.map(async (name) => (await networkOf(name)).Internal))
  return names.filter((_, i) => !internal[i])
}

/** A request through the published port, to any of the gateways. */
export function call(method, path, body, token) {
  return request(`http://127.0.0.1:${port}`, method, path, body, token)
}

/** A request to one of several gateways, from its own container: none has a published port. */
export async function callGateway(index, method, path, body, token) {
  const asked = JSON.stringify(['http://127.0.0.1:8080', method, path, body, token])
  const script = `${request}; request(...${asked}).then((a) => console.log(JSON.stringify(a)))`
  const place = ['--index', String(index), 'gateway']
  return JSON.parse(await compose('exec', '-T', ...place, 'node', '-e', script))
}

async function request(url, method, path, body, token) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      // Each request has a connection of its own, and so perhaps another gateway.
      connection: 'close',
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  })
  return { status: response.status, body: await response.json() }
}

/** @returns the port itself, `undefined` when it is taken; for 0, any free one */
export async function freePort(wanted) {
  const server = createServer().listen(wanted, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server.address().port
  } catch {
    return undefined
  } finally {
    server.close()
  }
}
