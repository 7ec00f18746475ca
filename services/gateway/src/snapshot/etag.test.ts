import t from 'tap'
import { etagOf, namesEtag } from './etag.ts'
import { currentForm, formFor } from './form.ts'

t.test('a tag', async (t) => {
  const tag = etagOf('default', 7, currentForm)
  t.match(tag, /^[0-9a-f]{40}$/)
  t.equal(etagOf('default', 7, currentForm), tag, 'is the same each time')
  t.not(etagOf('default', 8, currentForm), tag, 'changes with the revision')
  t.not(etagOf('other', 7, currentForm), tag, 'is another one for each namespace')
  t.not(etagOf('default', 7, formFor({})), tag, 'is another one for each form')
})

t.test('If-None-Match', async (t) => {
  const tag = etagOf('default', 7, currentForm)
  const named = [
    tag,
    `"${tag}"`,
    `W/"${tag}"`,
    `W/${tag}`,
    ` ${tag} `,
    `"x", "${tag}"`,
    `${tag}, "x"`,
    `W/"x",W/"${tag}","y"`,
  ]
  for (const header of named) t.ok(namesEtag(header, tag), header)
  const other = ['', '*', '"', '""', 'W/', tag.slice(1), `${tag}0`, `"${tag}`, tag.toUpperCase()]
  for (const header of other) t.notOk(namesEtag(header, tag), header)
  t.notOk(namesEtag(undefined, tag))
})
