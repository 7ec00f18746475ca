import t from 'tap'
import { findNearest } from './nearest.ts'

t.test('the nearest key is found', async (t) => {
  const keys = ['checkout', 'check-in', 'color', 'new-search']
  t.equal(findNearest('chekout', keys), 'checkout')
  t.equal(findNearest('checkuot', keys), 'checkout', 'two characters changed places')
  t.equal(findNearest('Colour', keys), 'color')
  t.equal(findNearest('newsearch', keys), 'new-search')
})

t.test('nothing is suggested that is another word', async (t) => {
  t.equal(findNearest('payments', ['checkout', 'color']), undefined)
  t.equal(findNearest('a', ['bcd']), undefined)
  t.equal(findNearest('', []), undefined)
})
