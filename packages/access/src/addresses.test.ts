import t from 'tap'
import { isAddressRange, isAddressWithin } from './addresses.ts'

t.test('isAddressRange', async (t) => {
  const ranges = ['10.0.0.0/8', '203.0.113.7', '0.0.0.0/0', '2001:db8::/32', '::1', '::/0']
  for (const text of ranges) t.ok(isAddressRange(text), text)
  const others = [
    ...['', '/', '/8', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0/8'],
    ...['10.0.0.0/8 ', ' 10.0.0.0', '010.0.0.1', 'localhost', '::/129', 'fe80::1%eth0', '*'],
    ...['10.0.0.0/08x', '10.0.0.0/255.0.0.0', '1.2.3.4:80', '[::1]'],
  ]
  for (const text of others) t.notOk(isAddressRange(text), text)
})

t.test('isAddressWithin', async (t) => {
  const ranges = ['10.0.0.0/8', '203.0.113.7', '2001:db8::/32']
  const inside = ['10.0.0.0', '10.255.255.255', '203.0.113.7', '2001:db8::1', '::ffff:10.1.2.3']
  for (const address of inside) t.ok(isAddressWithin(ranges, address), address)
  const outside = ['9.255.255.255', '11.0.0.0', '203.0.113.8', '2001:db9::', '::1', '::10.1.2.3']
  for (const address of outside) t.notOk(isAddressWithin(ranges, address), address)
  for (const none of ['', 'localhost', '10.1.2.3, 10.1.2.4', '10.1.2.3:80']) {
    t.notOk(isAddressWithin(ranges, none), none)
  }
})

t.test('a range may begin at any of its addresses', async (t) => {
  t.ok(isAddressWithin(['10.1.2.3/8'], '10.200.0.1'))
})

t.test('an empty list of ranges contains no address', async (t) => {
  t.notOk(isAddressWithin([], '127.0.0.1'))
})
