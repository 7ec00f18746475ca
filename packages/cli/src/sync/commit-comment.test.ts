import { join } from 'node:path'
import t from 'tap'
import { commitComment } from './commit-comment.ts'

const sha = '3f2c1a9b0d4e5f60718293a4b5c6d7e8f9012345'
const short = '3f2c1a9b0d4e'

t.test('the commit of a pipeline', async (t) => {
  const cases: readonly [Readonly<Record<string, string>>, string | undefined][] = [
    [{ CI_COMMIT_SHA: sha, CI_COMMIT_TITLE: 'Turn it on' }, `${short} Turn it on`],
    [{ CI_COMMIT_SHA: sha, CI_COMMIT_MESSAGE: 'Turn it on\n\nwhy' }, `${short} Turn it on`],
    [{ CI_COMMIT_SHA: sha }, short],
    [{ BUILDKITE_COMMIT: 'HEAD', BUILDKITE_MESSAGE: 'm' }, undefined],
    [{ BITBUCKET_COMMIT: sha }, short],
    [{ DRONE_COMMIT_SHA: sha, DRONE_COMMIT_MESSAGE: '' }, short],
    [{ BUILD_SOURCEVERSION: sha, BUILD_SOURCEVERSIONMESSAGE: ' m ' }, `${short} m`],
    [{ GIT_COMMIT: '--help' }, undefined],
    [{}, undefined],
  ]
  for (const [env, expected] of cases) {
    t.equal(await commitComment(env, '/flags'), expected, JSON.stringify(env))
  }
})

t.test('the commit that GitHub describes in a file', async (t) => {
  const event = (id: string, message: unknown) => JSON.stringify({ head_commit: { id, message } })
  const directory = t.testdir({
    good: event(sha, `${'😀'.repeat(600)}\nmore`),
    other: event('0'.repeat(40), 'Another commit'),
    odd: event(sha, 7),
    broken: '{',
  })
  const commentBy = (file: string) =>
    commitComment({ GITHUB_SHA: sha, GITHUB_EVENT_PATH: join(directory, file) }, '/flags')
  t.equal(await commentBy('good'), `${short} ${'😀'.repeat(500)}`)
  for (const file of ['other', 'odd', 'broken', 'missing']) t.equal(await commentBy(file), short)
})

t.test('the commit that git-sync has checked out', async (t) => {
  t.equal(await commitComment({}, `/repository/.worktrees/${sha}/flags`), short)
  t.equal(await commitComment({}, '/repository/current/flags'), undefined)
})
