import t from 'tap'
import { apiUrlKey, codehostPolicy } from './login-policy.ts'

const apiUrl = 'https://git.example/api/v3'

const accepts = (serverUrl: string, issuer: string) =>
  codehostPolicy({ serverUrl, apiUrl })({ issuer, metadata: {} })

t.test('allows logins at the code host of the settings, in any spelling of its URL', async (t) => {
  const hosts = ['https://git.example', 'https://git.example/', 'https://GIT.example:443']
  const below = ['https://git.example/a', 'https://git.example/a/']
  for (const same of [hosts, below]) {
    for (const one of same) for (const other of same) t.ok(accepts(one, other), `${one} ${other}`)
  }
})

t.test('refuses those at another one', async (t) => {
  const others = [
    ...['', 'https://git.example.evil', 'https://git.example:444', 'http://git.example'],
    ...['https://git.example/A', 'https://git.example/', 'git.example/a'],
  ]
  for (const one of others) t.notOk(accepts('https://git.example/a', one), one)
})

t.test('refuses those whose access token was used at another address of the API', async (t) => {
  const issuer = 'https://git.example'
  const isAllowed = codehostPolicy({ serverUrl: issuer, apiUrl })
  const at = (used: string) => isAllowed({ issuer, metadata: { [apiUrlKey]: used } })
  for (const same of [apiUrl, `${apiUrl}/`, 'https://GIT.example:443/api/v3']) t.ok(at(same), same)
  for (const other of ['', 'https://git.example/api', 'https://api.git.example']) {
    t.notOk(at(other), other)
  }
})
