import t from 'tap'
import { prefersHtml } from './accept.ts'

t.test('a browser that goes somewhere wants a page', async (t) => {
  t.ok(prefersHtml('text/html'))
  t.ok(prefersHtml('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'))
  t.ok(prefersHtml('TEXT/HTML;level=1'))
  t.ok(prefersHtml('application/json;q=0.5, text/html;q=0.9'))
})

t.test('every other client gets data', async (t) => {
  const html = ['text/html;q=0', 'text/html;q=x', 'text/htmlx', 'application/json, text/html;q=0.9']
  const others = ['*/*', 'text/*', 'application/json', 'application/json, text/plain, */*']
  for (const other of [undefined, '', ...html, ...others])
    t.notOk(prefersHtml(other), String(other))
})
