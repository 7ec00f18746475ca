// Checks .github/workflows: each action is pinned by its commit, each job has a time limit and no more rights than it
// names, and one that may write builds nothing; and actionlint, which is built from its Go module and kept outside of
// the checkout.
//   node .ci/workflows.mjs
// Exit code 3: all that could be checked is good, but actionlint cannot be had.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const version = '1.7.12'

/** Limit of the download and the build, in milliseconds. */
const buildLimitMs = 300_000

const directory = fileURLToPath(new URL('../.github/workflows/', import.meta.url))
const files = readdirSync(directory).map((name) => join(directory, name))

const problems = files.flatMap((path) => problemsOf(path, readFileSync(path, 'utf8')))
for (const problem of problems) console.error(problem)

const linter = findLinter()
const found =
  linter === undefined ? 0 : spawnSync(linter, ['-no-color', ...files], { stdio: 'inherit' }).status
console.log(`${files.length} workflows, ${linter === undefined ? 'without' : 'by'} actionlint`)
process.exitCode = problems.length > 0 || found !== 0 ? 1 : linter === undefined ? 3 : 0

function problemsOf(path, text) {
  const lines = text.split('\n')
  const loose = lines.flatMap((line, index) => {
    const isPinned = /uses: (?:\.\/\S+|\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(line)
    return /\buses:/.test(line) && !isPinned
      ? [`${path}:${index + 1}: pin the action by its commit, with its version as a comment`]
      : []
  })
  const builders = text
    .split(/^ {2}(?=[\w-]+:$)/m)
    .filter((job) => /^ {6}[\w-]+: write$/m.test(job))
    .filter((job) =>
      /\bcheckout@|\b(?:npm (?:install|ci)|npx|pnpm|docker build|buildx build)\b/.test(job),
    )
    .map((job) => job.split(':', 1)[0])
  const jobs = text.match(/^ {4}runs-on:/gm)?.length ?? 0
  const limits = text.match(/^ {4}timeout-minutes:/gm)?.length ?? 0
  return [
    ...loose,
    ...builders.map(
      (job) => `${path}: ${job} may write: let another job build, and take what it made`,
    ),
    ...(limits === jobs ? [] : [`${path}: ${jobs} jobs, ${limits} with a time limit`]),
    ...(/^permissions:(?: \{\}|\n {2}contents: read\n(?! {2}))/m.test(text)
      ? []
      : [`${path}: all jobs have at most "contents: read"; what needs more says so itself`]),
    ...(/\bpull_request_target\b/.test(text) ? [`${path}: pull_request_target`] : []),
  ]
}

/** @returns the program, built if need be; `undefined` where there is neither one nor Go and its proxy */
function findLinter() {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'svc-ci', version)
  const path = join(cache, 'actionlint')
  if (existsSync(path)) return path
  const module = `github.com/rhysd/actionlint/cmd/actionlint@v${version}`
  const options = { env: { ...process.env, GOBIN: cache }, timeout: buildLimitMs }
  try {
    execFileSync('go', ['install', module], { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
    return path
  } catch {
    return undefined
  }
}
