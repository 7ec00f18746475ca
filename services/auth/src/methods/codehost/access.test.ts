import t from 'tap'
import { type AccessRules, admittedBy } from './access.ts'
import type { Memberships } from './account.ts'

const acme = { id: 101, login: 'Acme' }
const globex = { id: 102, login: 'globex' }
const dev = { id: 201, slug: 'dev', organization: acme }
const ops = { id: 202, slug: 'ops', organization: acme }
const devOfGlobex = { id: 203, slug: 'dev', organization: globex }

const rules = (
  allowedOrganizations: string[],
  allowedTeams: Record<string, string[]> = {},
): AccessRules => ({ allowedOrganizations, allowedTeams })

const member: Memberships = { organizations: [acme, globex], teams: [dev, ops, devOfGlobex] }

t.test('without restrictions every account is allowed, with all its memberships', async (t) => {
  t.strictSame(admittedBy(rules([]), member), member)
  const none = { organizations: [], teams: [] }
  t.strictSame(admittedBy(rules([]), none), none)
})

t.test('members of an allowed organization get in, for what is allowed only', async (t) => {
  t.strictSame(admittedBy(rules(['acme']), member), { organizations: [acme], teams: [dev, ops] })
  t.strictSame(admittedBy(rules(['initech', 'GLOBEX']), member), {
    organizations: [globex],
    teams: [devOfGlobex],
  })
})

t.test('other accounts are not', async (t) => {
  for (const name of ['initech', 'acm', 'acmee', 'acme ', 'аcme', '', '*', '.*', 'dev', '201']) {
    t.equal(admittedBy(rules([name]), member), undefined, `allowed: ${JSON.stringify(name)}`)
  }
  t.equal(admittedBy(rules(['acme']), { organizations: [], teams: [dev] }), undefined)
})

t.test('where teams are listed, only their members get in', async (t) => {
  const admitted = admittedBy(rules(['acme', 'globex'], { acme: ['OPS'] }), member)
  t.strictSame(admitted, { organizations: [acme], teams: [ops] })
  t.equal(admittedBy(rules(['acme'], { acme: ['qa'] }), member), undefined)
})

t.test('an organization without listed teams then admits none', async (t) => {
  const { organizations } = member
  const rest = { organizations, teams: [devOfGlobex] }
  t.equal(admittedBy(rules(['acme', 'globex'], { acme: ['dev'] }), rest), undefined)
})

t.test('a team counts in its own organization only', async (t) => {
  const other = { organizations: [acme, globex], teams: [devOfGlobex] }
  t.equal(admittedBy(rules(['acme'], { acme: ['dev'] }), other), undefined)
})

t.test('a team of an organization that one is no member of does not help', async (t) => {
  const outside = { organizations: [globex], teams: [dev] }
  t.equal(admittedBy(rules(['acme'], { acme: ['dev'] }), outside), undefined)
})

t.test('ids stay right when a login changes hands', async (t) => {
  const renamed = { organizations: [{ id: 101, login: 'acme-old' }], teams: [] }
  const taken = { organizations: [{ id: 999, login: 'acme' }], teams: [] }
  t.ok(admittedBy(rules(['101']), renamed))
  t.equal(admittedBy(rules(['101']), taken), undefined)
  t.equal(admittedBy(rules(['acme']), renamed), undefined)
})

t.test('a login of digits is not taken for an id', async (t) => {
  const squatter = { organizations: [{ id: 999, login: '101' }], teams: [] }
  t.equal(admittedBy(rules(['101']), squatter), undefined)
  const team = { id: 998, slug: '201', organization: acme }
  const inTeam = { organizations: [acme], teams: [team] }
  t.equal(admittedBy(rules(['acme'], { acme: ['201'] }), inTeam), undefined)
  t.ok(admittedBy(rules(['101'], { '101': ['201'] }), { organizations: [acme], teams: [dev] }))
})

t.test('names that every object has are names like others', async (t) => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    const named = { organizations: [{ id: 1, login: name }], teams: [] }
    t.equal(admittedBy(rules(['acme'], { acme: ['dev'] }), named), undefined, name)
  }
})

t.test('a login that looks alike, or does in lower case, is another', async (t) => {
  for (const login of ['\u212aelvin', 'кelvin', 'kelvin\u200b', ' kelvin', 'kelvin.']) {
    const lookalike = { organizations: [{ id: 1, login }], teams: [] }
    t.equal(admittedBy(rules(['kelvin']), lookalike), undefined, JSON.stringify(login))
  }
})
