import t from 'tap'
import { afterSwitch } from './after-switch.ts'

t.test('a flag with variants is enabled or disabled', async (t) => {
  t.equal(
    afterSwitch({ isBoolean: false, enabled: true, servesOn: false, share: undefined }),
    'enabled',
  )
  t.equal(
    afterSwitch({ isBoolean: false, enabled: false, servesOn: false, share: undefined }),
    'disabled',
  )
})

t.test('a boolean flag is on only when everyone gets On', async (t) => {
  const on = { isBoolean: true, enabled: true, servesOn: true }
  t.equal(afterSwitch({ ...on, share: 100 }), 'on')
  t.equal(afterSwitch({ ...on, share: 0 }), 'elseOn', 'a stop on top gives Off to everyone')
  t.equal(afterSwitch({ ...on, share: 50 }), 'elseOn')
  t.equal(afterSwitch({ ...on, share: undefined }), 'elseOn', 'it depends on segments')
})

t.test('a boolean flag is off only when no one gets On', async (t) => {
  const off = { isBoolean: true, enabled: false }
  t.equal(afterSwitch({ ...off, servesOn: false, share: 0 }), 'off')
  t.equal(afterSwitch({ ...off, servesOn: false, share: undefined }), 'off')
  t.equal(afterSwitch({ ...off, servesOn: true, share: 31 }), 'stillOn')
  t.equal(afterSwitch({ ...off, servesOn: true, share: undefined }), 'stillOn')
  t.equal(afterSwitch({ ...off, servesOn: true, share: 0 }), 'off', 'others are never asked')
})
