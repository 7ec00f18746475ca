import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { runLine, serve } from './run.test.support.ts'

const noFlags = () => ({ body: { flags: [], nextPageToken: '', totalCount: 0 } })

t.test('without a command it shows the help', async (t) => {
  const { code, stdout } = await runLine([])
  t.equal(code, 0)
  t.match(stdout, /Usage: svc COMMAND/)
  t.match(stdout, /flags +flags of a namespace/)
})

t.test('a wrong command line ends with 2, says what was meant, and sends nothing', async (t) => {
  const service = await serve(t, noFlags)
  const env = { SVC_URL: service.url }
  const wrong: readonly [argv: readonly string[], said: RegExp][] = [
    [['flgs'], /unknown command "flgs" for "svc"\n\(Did you mean flags\?\)/],
    [['flags', 'lst'], /Did you mean list\?/],
    [['flags', 'list', '--jso'], /unknown option '--jso'\n\(Did you mean --json\?\)/],
    [['flags', 'list', '--url'], /option '-a, --url <URL>' argument missing/],
    [['flags', 'get'], /missing required argument 'KEY'/],
    [['flags', 'get', 'a', 'b'], /too many arguments/],
    [['flags'], /Usage: svc flags/],
    [['flags', 'list', '--url', 'localhost:8080'], /no address of the service/],
    [['flags', 'list', '--url', 'http://me:secret@localhost'], /user name or password/],
    [['flags', 'list', '--token-file', '/nonexistent'], /\/nonexistent: there is no such file/],
    [['flags', 'list', '--token-file', '/dev/zero'], /\/dev\/zero is larger than 16 KiB/],
    [['flags', 'list', '--token-file', '/dev/null'], /\/dev\/null is empty/],
    [['flags', 'list', '-n', ''], /--namespace is given, and empty/],
    [['flags', 'get', ''], /KEY is empty/],
    [['tokens', 'create', 'ci', '--bound-to', ''], /--bound-to is empty/],
    [['undo', '42', '--plan', ''], /--plan is empty/],
    [['apply', 'a.yml', '--manager', '', '--take-over'], /--manager is empty/],
    [['flags', 'copy', 'a', '--to', ''], /--to is empty/],
    [['flags', 'list', '--profile', 'nope'], /no profile "nope"/],
  ]
  for (const [argv, said] of wrong) {
    const { code, stdout, stderr } = await runLine(argv, { env })
    t.equal(code, 2, argv.join(' '))
    t.equal(stdout, '', argv.join(' '))
    t.match(stderr, said)
    const json = await runLine(['--json', ...argv], { env })
    t.match(json, { code: 2, stdout: '', stderr: /^.+\n$/ }, `${argv.join(' ')}, as JSON`)
    const { error } = JSON.parse(json.stderr)
    t.match(error, { message: /^(?!error: )./, exitCode: 2 })
  }
  const { stderr } = await runLine(['flags', 'list', '--jso', '--json'])
  t.match(JSON.parse(stderr), {
    error: { message: "unknown option '--jso'", hint: 'Did you mean --json?' },
  })
  t.strictSame(service.requests, [])
})

t.test('stdin is not read for two things', async (t) => {
  const argv = ['flags', 'set', 'a', '--patch', '-', '--token-file', '-']
  const ended = await runLine(argv, { stdin: 'token' })
  t.match(ended, { code: 2, stderr: /stdin is read once, and - is given twice/ })
})

t.test('the token', async (t) => {
  const service = await serve(t, noFlags)
  const sentBy = async (argv: readonly string[], options: Parameters<typeof runLine>[1] = {}) => {
    const ended = await runLine(['flags', 'list', ...argv], {
      ...options,
      env: { SVC_URL: service.url, ...options.env },
    })
    return { ...ended, sent: service.requests.at(-1)?.headers.authorization }
  }

  await t.test(
    'of a file, of stdin and of the environment is sent, and printed nowhere',
    async (t) => {
      const file = join(t.testdir({ token: 'of-a-file\n' }), 'token')
      const cases = [
        ['of-a-file', await sentBy(['--token-file', file], { env: { SVC_TOKEN: 'other' } })],
        ['of-stdin', await sentBy(['--token-file', '-'], { stdin: 'of-stdin\n' })],
        ['of-env', await sentBy([], { env: { SVC_TOKEN: 'of-env' } })],
      ] as const
      for (const [token, { sent, code, stdout, stderr }] of cases) {
        t.equal(sent, `Bearer ${token}`)
        t.equal(code, 0)
        t.notMatch(stdout + stderr, token)
      }
    },
  )

  await t.test('that cannot be sent is refused, and not shown', async (t) => {
    const before = service.requests.length
    for (const wrong of ['two words', 'two\nlines', 'umläut', 'bell\u0007']) {
      const ended = [
        await sentBy([], { env: { SVC_TOKEN: wrong } }),
        await sentBy(['--token-file', '-'], { stdin: wrong }),
        await sentBy(['-t', wrong]),
      ]
      for (const { code, stdout, stderr } of ended) {
        t.equal(code, 2)
        t.match(stderr, /is no token/)
        t.notOk((stdout + stderr).includes(wrong), stderr)
      }
    }
    t.equal(service.requests.length, before)
  })

  await t.test('in an argument is sent, with a warning', async (t) => {
    const { sent, stderr } = await sentBy(['-t', 'seen'])
    t.equal(sent, 'Bearer seen')
    t.match(stderr, /warning: others on this machine can read a token/)
  })

  await t.test('of a profile goes to the service of the profile only', async (t) => {
    const folder = t.testdir()
    await mkdir(join(folder, 'svc'))
    const profiles = { work: { url: `${service.url}/`, token: 'of-profile', namespaceKey: 'shop' } }
    const file = JSON.stringify({ current: 'work', profiles })
    await writeFile(join(folder, 'svc/profiles.json'), file, { mode: 0o600 })
    const env = { SVC_URL: '', XDG_CONFIG_HOME: folder }
    t.equal((await sentBy([], { env })).sent, 'Bearer of-profile')
    t.match(service.requests.at(-1)?.path, '/namespaces/shop')
    const other = await serve(t, noFlags)
    await runLine(['flags', 'list', '--url', other.url], { env })
    t.equal(other.requests.at(-1)?.headers.authorization, undefined)

    await runLine(['flags', 'list'], { env: { ...env, SVC_URL: other.url, SVC_TOKEN: 'of-env' } })
    t.equal(other.requests.at(-1)?.headers.authorization, 'Bearer of-env')
    const named = { ...env, SVC_URL: other.url, SVC_TOKEN: 'of-env', SVC_NAMESPACE: 'default' }
    await runLine(['flags', 'list', '--profile', 'work'], { env: named })
    const last = service.requests.at(-1)
    t.equal(last?.headers.authorization, 'Bearer of-profile', 'one that is named goes first')
    t.match(last?.path, '/namespaces/shop')
  })
})

t.test('what the service refuses', async (t) => {
  const cases: readonly [status: number, exitCode: number][] = [
    [400, 1],
    [401, 5],
    [403, 5],
    [404, 1],
    [409, 4],
    [412, 4],
    [429, 6],
    [500, 1],
    [502, 6],
    [503, 6],
    [504, 6],
  ]
  for (const [status, exitCode] of cases) {
    const body = { code: 1, message: `it says ${status}`, details: [] }
    const { url } = await serve(t, () => ({ status, body }))
    const env = { SVC_URL: url }
    const asText = await runLine(['flags', 'list'], { env })
    t.match(asText, { code: exitCode, stdout: '', stderr: `error: it says ${status}` })
    const asJson = await runLine(['flags', 'list', '--json'], { env })
    t.match(asJson, { code: exitCode, stdout: '' })
    const said = JSON.parse(asJson.stderr)
    t.match(said, { error: { message: `it says ${status}`, status, exitCode } })
  }
})

t.test('a service that is not there ends with 6, and says what to look at', async (t) => {
  const { code, stderr } = await runLine(['flags', 'list', '--url', 'http://127.0.0.1:1'])
  t.equal(code, 6)
  t.match(stderr, /cannot be reached[\s\S]*svc doctor/)
})

t.test('Ctrl-C ends what is on its way', async (t) => {
  const controller = new AbortController()
  const service = await serve(t, () => {
    controller.abort(new Error('ended by SIGINT'))
    return noFlags()
  })
  const argv = ['flags', 'list', '--url', service.url]
  t.match(await runLine(argv, { signal: controller.signal }), { code: 130, stdout: '', stderr: '' })
})

t.test('colours are for terminals', async (t) => {
  const flag = { key: 'checkout', name: 'Checkout', enabled: true, type: 'BOOLEAN_FLAG_TYPE' }
  const { url } = await serve(t, () => ({ body: { flags: [flag], nextPageToken: '' } }))
  const printed = async (options: Parameters<typeof runLine>[1], ...argv: readonly string[]) =>
    (await runLine(['flags', 'list', '--url', url, ...argv], options)).stdout
  t.match(await printed({ isTerminal: true }), '\u001b[32mon')
  t.notMatch(await printed({}), '\u001b')
  t.notMatch(await printed({ isTerminal: true, env: { NO_COLOR: '1' } }), '\u001b')
  t.strictSame(JSON.parse(await printed({ isTerminal: true }, '--json')), flag)
})
