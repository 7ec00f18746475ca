import t from 'tap'
import { findNearest } from './suggest.ts'

const names = 'log log.level log.encoding server server.host server.http_port db db.url auth'
const known = [...names.split(' '), 'auth.listen', 'cors.allowed_origins']

const meant: Readonly<Record<string, readonly string[]>> = {
  'log.level': ['log.lev'],
  'server.http_port': ['server.port', 'server.ports', 'server.httpport', 'http_port', 'port'],
  server: ['serv'],
  'server.host': ['SERVER.HOST'],
  'db.url': ['url'],
  'cors.allowed_origins': ['cors.origins'],
}

t.test('takes a name for the shortest that has its words, or begins with them', async (t) => {
  for (const [one, names] of Object.entries(meant)) {
    for (const name of names) t.equal(findNearest(name, known), one, name)
  }
  const far = ['se', 'level.log', 'log.levle', 'audit', 'ui', '', 'tracing.enabled', 'log.file']
  for (const name of far) t.equal(findNearest(name, known), undefined, name)
})
