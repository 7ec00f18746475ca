import t from 'tap'
import { help, readOptions } from './start.options.ts'

const nothing = {
  port: undefined,
  data: undefined,
  fresh: false,
  demo: false,
  json: false,
  newToken: false,
  help: false,
}

t.test('leaves to the settings what was not asked for', async (t) => {
  t.strictSame(readOptions([], {}), nothing)
})

t.test('reads every option', async (t) => {
  const argv = ['--port', '8081', '--data=/srv/flags', '--fresh', '--demo', '--json']
  const given = { port: 8081, data: '/srv/flags', fresh: true, demo: true, json: true }
  t.strictSame(readOptions(argv, {}), { ...nothing, ...given })
  t.equal(readOptions(['--seed', 'flags.yml'], {}).seed, 'flags.yml')
  const token = { newToken: true, data: 'flags' }
  t.strictSame(readOptions(['--new-token', '--data', 'flags'], {}), { ...nothing, ...token })
  t.ok(readOptions(['--help'], {}).help)
  t.ok(readOptions(['-h'], {}).help)
})

t.test('takes the options that npm kept for itself', async (t) => {
  const env = { npm_config_demo: 'true', npm_config_port: '8081', npm_config_fresh: 'true' }
  t.match(readOptions([], env), { demo: true, port: 8081, fresh: true })
  t.match(readOptions([], { npm_config_new_token: 'true' }), { newToken: true })
  t.equal(readOptions(['--port', '8082'], env).port, 8082, 'what was given directly comes first')
  const ofNpm = { npm_config_json: '', npm_config_data: '', npm_config_demo: 'false' }
  t.strictSame(readOptions([], ofNpm), nothing)
})

t.test('refuses in one sentence', async (t) => {
  const refused: [string[], RegExp][] = [
    [['--prot', '1'], /^Unknown option '--prot'\. See: npm start -- --help$/],
    [['--port'], /^Option '--port <value>' argument missing\. See/],
    [['--fresh=no'], /^Option '--fresh' does not take an argument\. See/],
    [['8081'], /^Unexpected "8081"\. Options follow "--"/],
    [['--port', '65536'], /^--port takes a number from 0 to 65535, not "65536"\.$/],
    [['--port', '8o8o'], /not "8o8o"\.$/],
    [['--port='], /not ""\.$/],
    [['--data', '--fresh'], /^Option '--data' argument is ambiguous\. See/],
    [['--new-token', '--fresh'], /^--new-token starts no service: .* with --fresh\.$/],
    [['--new-token', '--seed', 'a.yml'], /^--new-token starts no service: .* with --seed\.$/],
    [['--new-token', '--port', '80'], /^--new-token starts no service: .* with --port\.$/],
  ]
  for (const [argv, message] of refused) {
    t.throws(() => readOptions(argv, {}), { code: 'invalid_argument', message }, argv.join(' '))
  }
  const asNpmPassesIt = { npm_config_port: 'true' }
  t.throws(() => readOptions(['8081'], asNpmPassesIt), { message: /^Unexpected "8081"/ })
})

t.test('explains itself in 80 columns', async (t) => {
  t.strictSame(
    help.split('\n').filter((line) => line.length > 80),
    [],
  )
})
