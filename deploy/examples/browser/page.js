import { connect } from '@svc/client'

const user = document.querySelector('#user')
const checkout = document.querySelector('#checkout')

const flags = await connect({
  url: 'http://localhost:8080',
  namespace: 'default',
  mode: 'remote',
  subject: { entityId: user.value },
  // Without the service the page shows its defaults, and no error.
  required: false,
})

function show() {
  const isNew = flags.boolean('checkout', undefined, false)
  checkout.textContent = isNew ? 'The new checkout' : 'The old checkout'
}
show()
flags.on('ready', show)
flags.on('change', show)
user.addEventListener('change', async () => {
  await flags.setContext({ entityId: user.value })
  show()
})
