import t from 'tap'
import { FilesError } from './file-problem.ts'
import { type NamespaceFiles, readFiles } from './read.ts'

function read(text: string, name = 'a.yml'): readonly NamespaceFiles[] {
  return readFiles([{ name, text }]).namespaces
}

/** The first line of what is wrong. */
function firstProblem(text: string, name = 'a.yml'): string {
  try {
    read(text, name)
  } catch (error) {
    if (error instanceof FilesError) return error.message.split('\n')[0] ?? ''
    throw error
  }
  return ''
}

const variantOf = (attachment: string) =>
  `flags: [{key: a, name: A, variants: [{key: v, attachment: ${attachment}}]}]`

function attachmentOf(text: string, name?: string): string | undefined {
  return read(text, name)[0]?.flags[0]?.variants[0]?.attachment
}

t.test('JSON is objects one after the other, the header before them', async (t) => {
  const text =
    '# exported by svc\n\n{"version":"1.4","flags":[]}\n{"namespace":"b"}{"namespace":"c"}\n'
  t.match(
    read(text, 'a.JSON').map(({ namespaceKey }) => namespaceKey),
    ['default', 'b', 'c'],
  )
  t.strictSame(read('# only a header', 'a.json'), [])
  t.strictSame(read('', 'a.json'), [])
})

t.test('JSON is read strictly, and says where it is none', async (t) => {
  const cases: readonly (readonly [text: string, problem: string])[] = [
    ['{"flags":[', 'a.json:1:11: the JSON ends too early'],
    ['{"flags":[]} x', 'a.json:1:14: must be an object here: {…}'],
    ['{"flags":[]}\n\n{"flags":[],}', 'a.json:3:13: is no JSON here'],
    ["{'flags':[]}", 'a.json:1:2: is no JSON here'],
    ['{"flags":[{"key":1,"name":"A"}]}', 'a.json:1:18: flags[0].key: must be text: write "1"'],
    ['{"flags":[],"flags":[]}', 'a.json:1:13: flags: comes twice'],
  ]
  for (const [text, problem] of cases) t.equal(firstProblem(text, 'a.json'), problem, text)
})

t.test('numbers of attachments are kept as they are written', async (t) => {
  const json = '{"n":1e400,"m":-0.0,"z":123456789012345678901234567890,"__proto__":1}'
  t.equal(attachmentOf(variantOf(json)), json)
  const file = `{"flags":[{"key":"a","name":"A","variants":[{"key":"v","attachment":${json}}]}]}`
  t.equal(attachmentOf(file, 'a.json'), json)
  t.equal(
    attachmentOf(variantOf('[0x1F, 0o17, +1, .5, null, ~, yes]')),
    '[31,15,1,0.5,null,null,"yes"]',
  )
  t.match(firstProblem(variantOf('.nan')), 'is nothing that JSON has')
  t.match(
    firstProblem('flags: [{key: a, name: A, metadata: {n: 9007199254740993}}]'),
    'flags[0].metadata.n: is a whole number beyond 9007199254740991',
  )
})

t.test('no attachment, and one that is null', async (t) => {
  t.equal(attachmentOf(variantOf('')), '')
  t.equal(attachmentOf(variantOf('~')), '')
  t.equal(attachmentOf(variantOf('null')), 'null')
})

t.test('anchors, aliases and merged members are read', async (t) => {
  const text = `flags:
- &base {key: a, name: A, description: of a}
- {<<: *base, key: b}
- {<<: [{key: c, name: C}, *base]}
`
  t.match(read(text)[0]?.flags, [
    { key: 'a', description: 'of a' },
    { key: 'b', name: 'A', description: 'of a' },
    { key: 'c', name: 'C', description: 'of a' },
  ])
})

t.test('aliases of aliases do not multiply without end', async (t) => {
  const lists = 'abcdefghi'
    .split('')
    .map((name, n) => {
      const inner = n === 0 ? 'x' : `*${'abcdefghi'[n - 1]}`
      return `  - &${name} [${Array(10).fill(inner).join()}]`
    })
    .join('\n')
  const bomb = `flags:\n- key: a\n  name: A\n  metadata:\n    all:\n${lists.replace(/^/gm, '    ')}\n    bomb: *i\n`
  t.match(firstProblem(bomb), /the aliases stand for too much/)
  t.match(firstProblem('flags: [{key: a, name: A, metadata: &m {x: *m}}]'), /nested deeper than 64/)
})

t.test('what is nested too deep is refused', async (t) => {
  for (const text of ['['.repeat(100_000), '{a: '.repeat(20_000), '- '.repeat(20_000)]) {
    t.match(firstProblem(`flags: ${text}`), /is nested too deep|^a\.yml:1:\d+: /, text.slice(0, 4))
  }
  t.match(firstProblem(`{"flags":${'['.repeat(100_000)}}`, 'a.json'), 'is no JSON here')
  t.match(firstProblem('{"a":'.repeat(100_000), 'a.json'), 'is nested deeper than 200 levels')
  const attachment = `${'['.repeat(65)}${']'.repeat(65)}`
  t.match(firstProblem(variantOf(attachment)), /must not be nested deeper than 64 levels/)
  t.equal(attachmentOf(variantOf(attachment.slice(1, -1))), attachment.slice(1, -1))
})

t.test('what is too large is refused before it is parsed', async (t) => {
  t.match(firstProblem(' '.repeat(32 * 2 ** 20 + 1)), 'is larger than 32 Mi characters')
})

t.test('a file with many problems has a hundred of them', async (t) => {
  const text = `flags:\n${'- {x: 1}\n'.repeat(1000)}`
  const error = t.throws(() => read(text))
  t.ok(error instanceof FilesError && error.problems.length === 100)
})

t.test('a name that ends otherwise says what to do', async (t) => {
  t.match(firstProblem('', 'a.txt'), 'its name must end in .yml, .yaml or .json')
  t.match(read('namespace: a', '-')[0]?.namespaceKey, 'a')
})

t.test('what a file has does not get to a terminal as commands', async (t) => {
  const problem = firstProblem('flags: [{key: "\\e[2Ja", name: A}]')
  t.equal(problem.includes('\u001b'), false)
  t.match(problem, 'is "\\u001b[2Ja": a key has letters')
})
