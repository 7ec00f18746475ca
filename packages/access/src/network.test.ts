import t from 'tap'
import { networkOf } from './network.ts'

t.test('an IPv4 address is by itself', async (t) => {
  t.equal(networkOf('203.0.113.9'), '203.0.113.9')
  t.equal(networkOf(''), '')
})

t.test('IPv6 addresses with the same first half are one', async (t) => {
  const one = ['2001:db8:0:1::', '2001:db8:0:1::1', '2001:DB8:0:1:ffff:ffff:ffff:ffff']
  for (const address of [...one, '2001:0db8:0000:0001:2:3:4:5', '2001:db8::1:0:0:0:1']) {
    t.equal(networkOf(address), '2001:db8:0:1::/64', address)
  }
  t.equal(networkOf('::1'), '0:0:0:0::/64')
  t.equal(networkOf('::'), '0:0:0:0::/64')
  t.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
  t.equal(networkOf('64:ff9b::192.0.2.33'), '64:ff9b:0:0::/64')
  t.equal(networkOf('1:2:3:4:5:6:7::'), '1:2:3:4::/64')
})

t.test('IPv6 addresses with another first half are others', async (t) => {
  t.not(networkOf('2001:db8:0:1::1'), networkOf('2001:db8:0:2::1'))
  t.not(networkOf('2001:db8:0:1::1'), networkOf('2001:db8:1:1::1'))
})
