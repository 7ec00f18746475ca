import t from 'tap'
import { namesEtag } from './if-none-match.ts'

const tag = '0123456789abcdef0123456789abcdef01234567'

t.test('If-None-Match names a tag in any form, alone or among others, and no other', async (t) => {
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
