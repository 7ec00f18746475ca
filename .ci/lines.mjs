// Counts lines of code in the working tree and in an earlier commit: node .ci/lines.mjs [COMMIT]
// Code is TypeScript and scripts that git does not ignore: no SQL, no protos, nothing generated.
import { spawnSync } from 'node:child_process'

/** The commit before the redesign for version 1.0. */
const commit = process.argv[2] ?? '2d5f25b'
const isCode = /\.(?:[cm]?[jt]s|sh)$/
const isBench = /^test\/(?:.+\/)?bench\//
const isTest = /^test\/|\.(?:test|test\.support|fixture)\.ts$|\/testing(?:\/|\.ts$)/

/** @returns the lines of each file of code, by path */
function readCode(...tree) {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['grep', '-I', '-n', '-z', '--no-color', '--full-name', '-e', '', ...tree, '--', ':/'],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  )
  if (status !== 0) throw new Error(stderr)
  const files = new Map()
  for (const entry of stdout.trimEnd().split('\n')) {
    const [name, number, line] = entry.split('\0')
    const path = name.slice(name.indexOf(':') + 1)
    if (number !== '1') files.get(path)?.push(line)
    else if (isCode.test(path) || line.startsWith('#!')) files.set(path, [line])
  }
  return files
}

function measure(files) {
  const paths = [...files.keys()].filter((path) => !isBench.test(path))
  const tests = paths.filter((path) => isTest.test(path))
  const product = paths
    .filter((path) => !isTest.test(path))
    .sort((a, b) => files.get(a).length - files.get(b).length)
  const linesOf = (path) => files.get(path).length
  const sum = (counts) => counts.reduce((total, count) => total + count, 0)
  const lines = sum(product.map(linesOf))
  return {
    longest: product.at(-1),
    figures: {
      'product lines': lines,
      'product files': product.length,
      'median product file': linesOf(product[Math.floor(product.length / 2)]),
      'longest product file': linesOf(product.at(-1)),
      'characters a product line':
        sum(product.map((path) => files.get(path).join('').length)) / lines,
      'test lines': sum(tests.map(linesOf)),
    },
  }
}

const before = measure(readCode(commit))
const now = measure(readCode('--untracked'))
const printRow = (name, ...cells) =>
  console.log(name.padEnd(27), ...cells.map((cell) => String(cell).padStart(9)))

printRow('', commit.slice(0, 9), 'now', 'ratio')
for (const [name, figure] of Object.entries(now.figures)) {
  const was = before.figures[name]
  printRow(name, Number(was.toFixed(1)), Number(figure.toFixed(1)), (figure / was).toFixed(3))
}
console.log(`\nlongest: ${now.longest}`)
