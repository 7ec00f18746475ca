import t from 'tap'
import { keyFor, keyPattern } from './keys.ts'

t.test('a key is made of a name', async (t) => {
  t.equal(keyFor('Express delivery'), 'express-delivery')
  t.equal(keyFor('  Größe & Maß!  '), 'groesse-mass')
  t.equal(keyFor('Éclair – crème'), 'eclair-creme')
  t.equal(keyFor('a_b,c'), 'a_b-c')
  t.equal(keyFor('日本'), '')
  t.equal(keyFor('x'.repeat(300)).length, 255)
  t.match(keyFor('Any <b>name</b>'), keyPattern)
})
