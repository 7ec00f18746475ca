import t from 'tap'
import { findNearest } from './nearest.ts'

const known = [
  'log',
  'log.level',
  'log.encoding',
  'server',
  'server.host',
  'server.http_port',
  'db',
  'db.url',
  'auth',
  'auth.listen',
  'cors.allowed_origins',
]

const table: [string, string | undefined][] = [
  ['log.lev', 'log.level'],
  ['server.port', 'server.http_port'],
  ['server.ports', 'server.http_port'],
  ['server.httpport', 'server.http_port'],
  ['http_port', 'server.http_port'],
  ['port', 'server.http_port'],
  ['serv', 'server'],
  ['se', undefined],
  ['level.log', undefined],
  ['log.levle', undefined],
  ['url', 'db.url'],
  ['cors.origins', 'cors.allowed_origins'],
  ['SERVER.HOST', 'server.host'],
  ['audit', undefined],
  ['ui', undefined],
  ['', undefined],
  ['tracing.enabled', undefined],
  ['log.file', undefined],
]

for (const [name, meant] of table) {
  t.test(`takes "${name}" for ${meant ?? 'nothing known'}`, async (t) => {
    t.equal(findNearest(name, known), meant)
  })
}
