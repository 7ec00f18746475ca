import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import t from 'tap'
import { type Environment, readSmallFile, unreadable } from './files.ts'
import { loadSettings } from './load.ts'
import { problemsOf } from './problems.test.support.ts'
import { sharedSettings } from './schema.ts'

t.test('the first file that there is wins, the most specific place first', async (t) => {
  const directory = t.testdir()
  const places = ['option', 'variable', 'xdg/svc/config.yml', 'system/default', 'system/config']
  const paths = places.map((place) => `${directory}/${place}`)
  const [option, variable, , ...systemFiles] = paths
  const env: Environment = { XDG_CONFIG_HOME: `${directory}/xdg` }
  const sourceOf = (file?: string, env2 = env) =>
    loadSettings(sharedSettings, { file, env: env2, systemFiles }).source

  t.equal(sourceOf(), undefined)
  for (const path of paths.toReversed()) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
    if (path !== option && path !== variable) t.equal(sourceOf(), path)
  }
  t.equal(sourceOf(undefined, { ...env, SVC_CONFIG: variable }), variable)
  t.equal(sourceOf(option, { ...env, SVC_CONFIG: variable }), option)
})

t.test('without XDG_CONFIG_HOME, or with a relative one, it is ~/.config', async (t) => {
  const directory = t.testdir({ '.config': { svc: { 'config.yml': 'log: {level: warn}' } } })
  for (const XDG_CONFIG_HOME of [undefined, '', 'relative']) {
    const sources = { env: { HOME: directory, XDG_CONFIG_HOME }, systemFiles: [] }
    t.equal(loadSettings(sharedSettings, sources).source, `${directory}/.config/svc/config.yml`)
  }
})

t.test('a file that cannot be read is refused, unless it is one of the usual places', async (t) => {
  const directory = t.testdir({ large: 'x'.repeat(1024 * 1024 + 1) })
  const refused = (file: string | undefined, env: Environment = {}, systemFiles: string[] = []) =>
    problemsOf(() => loadSettings(sharedSettings, { file, env, systemFiles }), directory)
  t.strictSame(refused(''), ['--config  needs the path of one file.'])
  t.strictSame(refused(`${directory}/none`), [
    '--config  names none, which does not exist. Correct --config or leave it out.',
  ])
  t.strictSame(refused(undefined, { SVC_CONFIG: directory }), [
    `SVC_CONFIG  names ${directory}, which is a directory. Correct SVC_CONFIG or leave it out.`,
  ])
  t.match(refused(`${directory}/large`)[0], 'large, which is too large')
  t.match(refused('/dev/zero')[0], '/dev/zero, which is too large')
  t.strictSame(refused(undefined, {}, [`${directory}/none`, directory]), [
    `${directory}  is a directory. Correct or remove it.`,
  ])
})

t.test('a file is read whole up to the bound, and not beyond', async (t) => {
  const path = `${t.testdir({ file: 'grün' })}/file`
  t.equal(readSmallFile(path, 5), 'grün')
  t.throws(() => readSmallFile(path, 4), { code: 'EFBIG' })
  t.throws(() => readSmallFile(`${path}/x`, 5), { code: 'ENOTDIR' })
  t.equal(unreadable(Object.assign(new Error(), { code: 'EIO' })), 'cannot be read (EIO)')
})
