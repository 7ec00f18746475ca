import t from 'tap'
import { gatewayUrl } from './start.url.ts'

t.test('the URL of a gateway has the host that it listens on', async (t) => {
  for (const host of ['127.0.0.1', '0.0.0.0', '::', '::1']) {
    t.equal(gatewayUrl(host, 8080), 'http://localhost:8080', host)
  }
  t.equal(gatewayUrl('10.0.0.7', 80), 'http://10.0.0.7:80')
  t.equal(gatewayUrl('flags.example.com', 8080), 'http://flags.example.com:8080')
  t.equal(gatewayUrl('fd00::1', 8080), 'http://[fd00::1]:8080')
})
