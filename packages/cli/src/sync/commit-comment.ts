import { readFile } from 'node:fs/promises'

type Env = Readonly<Record<string, string | undefined>>

/** Of each pipeline: the variables of the commit's hash, and of its message. */
const pipelines: readonly (readonly [hash: string, message?: string])[] = [
  ['GITHUB_SHA'],
  ['CI_COMMIT_SHA', 'CI_COMMIT_TITLE'], // GitLab
  ['CI_COMMIT_SHA', 'CI_COMMIT_MESSAGE'], // Woodpecker
  ['BUILDKITE_COMMIT', 'BUILDKITE_MESSAGE'],
  ['BUILD_SOURCEVERSION', 'BUILD_SOURCEVERSIONMESSAGE'], // Azure
  ['DRONE_COMMIT_SHA', 'DRONE_COMMIT_MESSAGE'],
  ['TRAVIS_COMMIT', 'TRAVIS_COMMIT_MESSAGE'],
  ['BITBUCKET_COMMIT'],
  ['CIRCLE_SHA1'],
  ['GIT_COMMIT'], // Jenkins
  ['CODEBUILD_RESOLVED_SOURCE_VERSION'],
]

/** Characters of a message's first line that are kept. */
const maxLength = 500

/**
 * The hash and the subject of the commit that a pipeline is about, such as `3f2c1a9b0d4e Turn it on`.
 *
 * @param path where the files really are: git-sync has the hash in it
 * @returns nothing when it is not known
 */
export async function commitComment(env: Env, path: string): Promise<string | undefined> {
  const isSet = (name: string | undefined) => name === undefined || Boolean(env[name])
  const found =
    pipelines.find(([hash, message]) => isSet(hash) && isSet(message)) ??
    pipelines.find(([hash]) => isSet(hash))
  const [hashName, messageName] = found ?? []
  const commit = hashName === undefined ? commitOfPath(path) : env[hashName]
  if (commit === undefined || !/^[0-9a-f]{7,64}$/i.test(commit)) return undefined
  const message =
    messageName === undefined ? await messageOfEvent(env, commit) : (env[messageName] ?? '')
  const [subject = ''] = message.trim().split('\n')
  return `${commit.slice(0, 12)} ${[...subject].slice(0, maxLength).join('')}`.trim()
}

/** git-sync checks each commit out into a folder that is named by it, and moves a link. */
function commitOfPath(path: string): string | undefined {
  return path.split(/[\\/]/).findLast((name) => /^[0-9a-f]{40}$/.test(name))
}

/** GitHub has the message in a file. */
async function messageOfEvent({ GITHUB_EVENT_PATH: file }: Env, commit: string): Promise<string> {
  if (!file) return ''
  try {
    const event: unknown = JSON.parse(await readFile(file, 'utf8'))
    const head: unknown = Reflect.get(Object(event), 'head_commit')
    const { id, message } = Object(head) as Record<string, unknown>
    return id === commit && typeof message === 'string' ? message : ''
  } catch {
    return ''
  }
}
