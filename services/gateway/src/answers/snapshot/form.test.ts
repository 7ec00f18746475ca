import t from 'tap'
import { currentForm, formFor } from './form.ts'

t.test('the form of a snapshot', async (t) => {
  const table: [version: string, form: string][] = [
    ['1.47.0', '1.47'],
    ['1.47', '1.47'],
    ['v1.47.0', '1.47'],
    ['V1.47', '1.47'],
    [' 1.47.0 ', '1.47'],
    ['1.47.0+build.5', '1.47'],
    ['1.47.1-rc.1', '1.47'],
    ['1.48.0-rc.1', '1.47'],
    ['01.047.00', '1.47'],
    ['1.100.0', '1.47'],
    ['2', '1.47'],
    ['2.0.0-beta', '1.47'],
    ['1.47.0-rc.1', '1.38'],
    ['1.46.9', '1.38'],
    ['1.38', '1.38'],
    ['v1.38.0', '1.38'],
    ['1.38.0-rc.1', '1.37'],
    ['1.37.9', '1.37'],
    ['1.5', '1.37'],
    ['1', '1.37'],
    ['0.99', '1.37'],
    ['', '1.37'],
    ['latest', '1.37'],
    ['1.47.0.1', '1.37'],
    ['1.47.0, 1.47.0', '1.37'],
    ['-1.47', '1.37'],
    ['undefined', '1.37'],
  ]
  for (const name of ['x-svc-accept-server-version', 'x-flipt-accept-server-version']) {
    for (const [version, form] of table) {
      t.equal(formFor({ [name]: version }).name, form, `${name}: ${version}`)
    }
  }
  t.equal(formFor({}).name, '1.37', 'without a header')
  const both = { 'x-svc-accept-server-version': '1.38', 'x-flipt-accept-server-version': '1.47' }
  t.equal(formFor(both).name, '1.38', 'with both, our own header counts')
})

t.test('a tag', async (t) => {
  const tag = currentForm.etagOf('default', 7)
  t.match(tag, /^[0-9a-f]{40}$/)
  t.equal(currentForm.etagOf('default', 7), tag, 'is the same each time')
  t.not(currentForm.etagOf('default', 8), tag, 'changes with the revision')
  t.not(currentForm.etagOf('other', 7), tag, 'is another one for each namespace')
  t.not(formFor({}).etagOf('default', 7), tag, 'is another one for each form')
})
