import t from 'tap'
import { codehostAdmission } from './codehost.ts'

t.test('where nobody can log in at the code host, nobody is in who did', async (t) => {
  const login = { method: 'METHOD_CODEHOST', metadata: {} } as const
  t.equal(codehostAdmission({ enabled: true })(login), true)
  t.equal(codehostAdmission({ enabled: false })(login), false)
})

t.test('all others may come in', async (t) => {
  const login = { method: 'METHOD_TOKEN', metadata: {} } as const
  t.equal(codehostAdmission({ enabled: false })(login), true)
})
