import t from 'tap'
import { loadText, problemsOf } from './loading.test.support.ts'

const noSection = 'must hold "key: value" lines, not a value of its own.'
const notASetting = 'this is not a setting'
const once = 'as well. Keep one of the two.'
const indent =
  'the indent is wrong, or a bracket is not closed. Give keys of one group the same indent.'
const longToken = 'authentication.methods.token.bootstrap.token'
const longInterval = 'authentication.methods.token.cleanup.interval'

/** The text of a file, and the lines with which it is refused. */
const table: [string, ...string[]][] = [
  // What is not a tree of keys
  ['just a sentence', `config.yml:1:1  the file ${noSection}`],
  ['- a\n- b', `config.yml:1:1  the file ${noSection}`],
  ['42', `config.yml:1:1  the file ${noSection}`],
  ['log: info', `config.yml:1:1  log ${noSection}`],
  ['log: [level]', `config.yml:1:1  log ${noSection}`],
  ['server:\n  - host', `config.yml:1:1  server ${noSection}`],
  ['token: abc', `config.yml:1:1  token ${noSection}`],
  ['log: {}\nbootstrap:\n  abc', `config.yml:2:1  bootstrap ${noSection}`],
  ['log: {level}', `config.yml:1:7  ${notASetting} of log. Write "key: value".`],
  ['log:\n  ? level', `config.yml:2:5  ${notASetting} of log. Write "key: value".`],
  ['log:\n  "a b": 1', `config.yml:2:3  ${notASetting} of log. Write "key: value".`],
  ['log:\n  [a, b]: 1', `config.yml:2:3  ${notASetting} of log. Write "key: value".`],
  ['<<: {log: {}}', `config.yml:1:1  ${notASetting}. Write "key: value".`],
  // What is not YAML
  ['log:\n\tlevel: info', 'config.yml:2:1  the line begins with a tab. Indent with spaces.'],
  ['log:\n  level: info\n requests: true', `config.yml:3:1  ${indent}`],
  ['log: {level: info', `config.yml:1:18  ${indent}`],
  [
    'log: "info',
    'config.yml:1:11  a closing quote or bracket, a comma or a colon is missing here. Add it.',
  ],
  [
    'log: *there',
    'config.yml:1:6  there is no such anchor. Put values that begin with * in quotes.',
  ],
  [
    'log:\n  level: !vault x',
    'config.yml:2:10  the tag is not known. Put values that begin with ! in quotes.',
  ],
  [
    'log: level: info',
    'config.yml:1:6  two keys stand in one line. Begin a new, indented line, or put the value in' +
      ' quotes.',
  ],
  ['log: {}\n---\nlog: {}', 'config.yml:2:1  a second document begins here. Keep one.'],
  ['log:\n  level: "\\q"', 'config.yml:2:11  this is not valid YAML (BAD_DQ_ESCAPE). Correct it.'],
  ['%FOO\n---\nlog: {}', 'config.yml:1:1  this is not valid YAML (BAD_DIRECTIVE). Correct it.'],
  // Keys that do not exist
  ['serve:\n  host: a', 'config.yml:1:1  serve is not a setting. Did you mean "server"?'],
  ['log:\n  lvl: info', 'config.yml:2:3  log.lvl is not a setting. Did you mean "log.level"?'],
  ['log:\n  file: x', 'config.yml:2:3  log.file is not a setting.'],
  [
    'server:\n  port: 80',
    'config.yml:2:3  server.port is not a setting. Did you mean "server.http_port"?',
  ],
  [
    'server:\n  httpPort: 80',
    'config.yml:2:3  server.httpPort is not a setting. Did you mean "server.http_port"?',
  ],
  ['ui:\n  enabled: true', 'config.yml:1:1  ui is not a setting.'],
  ['http_port: 80', 'config.yml:1:1  http_port is not a setting. Did you mean "server.http_port"?'],
  [
    'cors:\n  origins: []',
    'config.yml:2:3  cors.origins is not a setting. Did you mean "cors.allowed_origins"?',
  ],
  [
    'authentication:\n  methods:\n    saml:\n      enabled: true',
    'config.yml:3:5  authentication.methods.saml is not a setting.',
  ],
  [
    'authentication:\n  method:\n    token: {}',
    'config.yml:2:3  authentication.method is not a setting. Did you mean "authentication.methods"?',
  ],
  [
    'bootstrap:\n  tokn: abc',
    'config.yml:2:3  bootstrap.tokn is not a setting. Did you mean "bootstrap.token"?',
  ],
  [
    'token:\n  bootstrap:\n    token: abc',
    'config.yml:2:3  token.bootstrap is not a setting.' +
      ' Did you mean "authentication.methods.token.bootstrap"?',
  ],
  ['log.levle: info', 'config.yml:1:1  log.levle is not a setting. Did you mean "log.level"?'],
  ['__proto__:\n  a: 1', 'config.yml:1:1  __proto__ is not a setting.'],
  ['constructor: 1', 'config.yml:1:1  constructor is not a setting.'],
  ['a: &a [*a]', 'config.yml:1:1  a is not a setting.'],
  // Keys that are there twice
  [
    'log:\n  level: info\n  level: info',
    `config.yml:3:3  log.level is given by config.yml:2:3 ${once}`,
  ],
  [
    'log:\n  level: info\nLOG:\n  level: info',
    `config.yml:4:3  log.level is given by config.yml:2:3 ${once}`,
  ],
  [
    'log:\n  level: info\nlog.level: warn',
    `config.yml:3:1  log.level is given by config.yml:2:3 ${once}`,
  ],
  [
    `bootstrap:\n  token: aaaaaaaaaaaaaaaa\n${longToken}: bbbbbbbbbbbbbbbb`,
    `config.yml:3:1  ${longToken} is given by config.yml:2:3 ${once}`,
  ],
  [
    `${longInterval}: 3h\ntoken:\n  cleanup:\n    interval: 2h`,
    `config.yml:4:5  token.cleanup.interval is given by config.yml:1:1 ${once}`,
  ],
  [
    'bootstrap:\n  metadata:\n    owner: a\n    OWNER: b',
    'config.yml:4:5  bootstrap.metadata has this key twice. Keep one.',
  ],
  // Variables that are not there, or hold nonsense
  [
    `server:\n  http_port: \${NOT_SET}`,
    'config.yml:2:3  server.http_port must be a whole number from 0 to 65535.' +
      ' Correct the variable it names or set SVC_SERVER_HTTP_PORT.',
  ],
  [
    `bootstrap:\n  token: \${NONSENSE}`,
    'config.yml:2:3  bootstrap.token must have at least 16 characters. Correct the variable it' +
      ' names or set SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN.',
  ],
  // What cannot all be meant
  [
    'cors:\n  enabled: true',
    'config.yml:2:3  cors.enabled is true, but cors.allowed_origins lists none.' +
      ' List them there or in SVC_CORS_ALLOWED_ORIGINS.',
  ],
  [
    'authentication.methods.token.enabled: false\n' +
      'bootstrap:\n  token: aaaaaaaaaaaaaaaa\n  expiration: 1h\n  force: true',
    ...['3:3  bootstrap.token', '4:3  bootstrap.expiration', '5:3  bootstrap.force'].map(
      (place) =>
        `config.yml:${place} asks for a first token, but authentication.methods.token.enabled` +
        ' is false. Remove one of the two.',
    ),
  ],
  // Everything at once, in the order of the lines
  [
    'cors:\n  enabled: 3\n\n\nlog:\n  level: loud\n\n\nserver:\n  prot: 1\n  http_port: no',
    'config.yml:2:3  cors.enabled must be true or false. Correct it here or set SVC_CORS_ENABLED.',
    'config.yml:6:3  log.level must be trace, debug, info, warn, error or fatal.' +
      ' Correct it here or set SVC_LOG_LEVEL.',
    'config.yml:10:3  server.prot is not a setting. Did you mean "server.http_port"?',
    'config.yml:11:3  server.http_port must be a whole number from 0 to 65535.' +
      ' Correct it here or set SVC_SERVER_HTTP_PORT.',
  ],
  [
    '{\n\t"log": {\n\t\t"level": "loud"\n\t}\n}',
    'config.yml:3:3  log.level must be trace, debug, info, warn, error or fatal.' +
      ' Correct it here or set SVC_LOG_LEVEL.',
  ],
]

for (const [text, ...problems] of table) {
  t.test(`refuses ${JSON.stringify(text).slice(0, 60)}`, async (t) => {
    const directory = t.testdir()
    const env = { NONSENSE: 'hunter2' }
    t.strictSame(
      problemsOf(() => loadText(directory, text, env), directory),
      problems,
    )
  })
}
