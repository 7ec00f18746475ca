import { createHash, createHmac } from 'node:crypto'
import t from 'tap'
import { ticketMac } from './mac.ts'

const tokenHash = createHash('sha256').update('a token').digest()

t.test('a ticket is the HMAC that the contract of the services describes', async (t) => {
  const expected = createHmac('sha256', tokenHash).update('ofrep-events:default').digest()
  t.ok(ticketMac(tokenHash, 'default').equals(expected))
  t.equal(expected.length, 32)
})

t.test('another token or another namespace makes another ticket', async (t) => {
  const other = createHash('sha256').update('another token').digest()
  const tickets = [
    ticketMac(tokenHash, 'default'),
    ticketMac(tokenHash, 'default2'),
    ticketMac(tokenHash, ''),
    ticketMac(other, 'default'),
  ]
  t.equal(new Set(tickets.map((ticket) => ticket.toString('hex'))).size, 4)
})
