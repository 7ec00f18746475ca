import t from 'tap'
import { readFixture } from '../../fixtures.test.support.ts'
import { type AccessRules, admittedBy } from './access.ts'
import type { Memberships } from './account.ts'

interface Case extends Partial<AccessRules> {
  readonly account: Memberships
  readonly admitted?: Memberships
}

const { cases } = readFixture<{ cases: Record<string, Case[]> }>('auth/codehost-access.yml')

for (const [name, all] of Object.entries(cases)) {
  t.test(name, async (t) => {
    for (const { account, admitted, ...rules } of all) {
      const whole = { allowedOrganizations: [], allowedTeams: {}, ...rules }
      t.strictSame(admittedBy(whole, account), admitted, JSON.stringify(rules))
    }
  })
}
