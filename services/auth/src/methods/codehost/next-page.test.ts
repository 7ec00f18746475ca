import t from 'tap'
import { nextPage } from './api.ts'

t.test('finds the link whose relation is next, wherever it stands', async (t) => {
  const two = 'https://api.example.com/user/orgs?per_page=100&page=2'
  for (const link of [
    `<${two}>; rel="next"`,
    `<${two}>; rel=next`,
    `<${two}>;rel="next"`,
    `<${two}>; REL="NEXT"`,
    `<${two}>; rel="next last"`,
    `<${two}>; title="a, b"; rel="next"`,
    `<https://api.example.com/1>; rel="first", <${two}>; rel="next"`,
    `<${two}>; rel="next", <https://api.example.com/9>; rel="last"`,
  ]) {
    t.equal(nextPage(link), two, link)
  }
})

t.test('finds none where there is none', async (t) => {
  for (const link of [
    null,
    '',
    'next',
    '<https://api.example.com/9>',
    '<https://api.example.com/9>; rel="last"',
    '<https://api.example.com/9>; rel="nextish"',
    '<https://api.example.com/9>; title="rel=next"',
    'https://api.example.com/2; rel="next"',
  ]) {
    t.equal(nextPage(link), undefined, String(link))
  }
})
