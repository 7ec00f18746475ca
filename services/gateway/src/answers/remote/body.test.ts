import { bound } from '@svc/contract/testing'
import t from 'tap'
import { openEdge } from '../../http/edge.ts'
import { readBody } from './body.ts'

const form = 'application/x-www-form-urlencoded'
const { operation: logout } = bound('BackchannelLogout')
const { operation: other } = bound('CreateNamespace')

/** What is read of a body that is said to be of such a type. */
async function read(text: string, type: string, operation = logout): Promise<object> {
  const app = openEdge()
  app.post('/', async ({ raw, id, body }) => {
    const bytes = Buffer.isBuffer(body) ? body : undefined
    return readBody(operation, { raw, id, body: bytes, route: '/', params: {}, query: {} })
  })
  const headers = type === '' ? {} : { 'content-type': type }
  return (await app.inject({ method: 'POST', url: '/', payload: text, headers })).json()
}

t.test('a back-channel logout comes as a form', async (t) => {
  t.strictSame(await read('logout_token=a.b.c', form), { logout_token: 'a.b.c' })
  t.strictSame(await read('logout_token=a%2Bb+c&x=', `${form}; charset=UTF-8`), {
    logout_token: 'a+b c',
    x: '',
  })
  t.strictSame(await read('', form), {})
})

t.test('and in no other way', async (t) => {
  for (const type of ['application/json', 'text/plain', 'multipart/form-data', '']) {
    t.match(await read('logout_token=a.b.c', type), { message: 'the body has to be a form' }, type)
  }
  t.match(await read('a=1&b=2&a=1', form), { message: 'the form has a name twice' })
  const many = Array.from({ length: 17 }, (_, i) => `a${i}=`).join('&')
  t.match(await read(many, form), { message: 'the form has more than 16 fields' })
  const long = `logout_token=${'a'.repeat(16 * 1024)}`
  t.match(await read(long, form), { code: 3, message: 'the body is too large' })
})

t.test('nothing else does, whatever it is called', async (t) => {
  t.match(await read('key=shop', form, other), { code: 3 })
  t.strictSame(await read('{"key":"shop"}', form, other), { key: 'shop' })
})
