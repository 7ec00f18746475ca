import t from 'tap'
import { codehostPolicy } from './login-policy.ts'

const accepts = (serverUrl: string, issuer: string) =>
  codehostPolicy({ serverUrl })({ issuer, metadata: {} })

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
