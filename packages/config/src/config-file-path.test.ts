import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import t from 'tap'
import type { Environment } from './environment.ts'
import { loadSettings } from './load.ts'
import { problemsOf } from './problems.test.support.ts'
import { sharedSettings } from './schema.ts'

t.test('the first file that there is wins, the most specific place first', async (t) => {
  const directory = t.testdir()
  const places = ['option', 'variable', 'xdg/svc/config.yml', 'system/default', 'system/config']
  const paths = places.map((place) => `${directory}/${place}`)
  const [option = '', variable, , ...systemFiles] = paths
  const env = { SVC_CONFIG: variable, XDG_CONFIG_HOME: `${directory}/xdg` }
  const sources = { env, isTerminal: false, systemFiles }

  const unasked = { ...sources, argv: [], env: { XDG_CONFIG_HOME: `${directory}/xdg` } }
  t.equal(loadSettings(sharedSettings, unasked).source, undefined)
  for (const path of paths.toReversed()) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `cache: {redis: {prefix: ${places[paths.indexOf(path)]?.slice(0, 3)}}}`)
    if (path !== option && path !== variable)
      t.equal(loadSettings(sharedSettings, unasked).source, path)
  }
  t.equal(loadSettings(sharedSettings, { ...sources, argv: [] }).source, variable)
  t.equal(
    loadSettings(sharedSettings, { ...sources, argv: ['serve', '--config', option] }).source,
    option,
  )
  const loaded = loadSettings(sharedSettings, {
    ...sources,
    argv: [`--config=${option}`, '--other', 'x'],
  })
  t.equal(loaded.settings.cache.redis.prefix, 'opt')
})

t.test('without XDG_CONFIG_HOME, or with a relative one, it is ~/.config', async (t) => {
  const directory = t.testdir({ '.config': { svc: { 'config.yml': 'log: {level: warn}' } } })
  for (const XDG_CONFIG_HOME of [undefined, '', 'relative']) {
    const env: Environment = { HOME: directory, XDG_CONFIG_HOME }
    const { source } = loadSettings(sharedSettings, {
      argv: [],
      env,
      isTerminal: false,
      systemFiles: [],
    })
    t.equal(source, `${directory}/.config/svc/config.yml`)
  }
})

t.test('a file that an option or a variable names must be there, and be one', async (t) => {
  const directory = t.testdir({ large: 'x'.repeat(1024 * 1024 + 1) })
  const refused = (argv: string[], env: Environment = {}) =>
    problemsOf(
      () => loadSettings(sharedSettings, { argv, env, isTerminal: false, systemFiles: [] }),
      directory,
    )
  const one = ['--config  needs the path of one file.']
  t.strictSame(refused(['--config']), one)
  t.strictSame(refused(['--config=']), one)
  t.strictSame(refused(['--config', 'a', '--config', 'b']), one)
  t.strictSame(refused(['--config', `${directory}/none`]), [
    '--config  names none, which does not exist. Correct --config or leave it out.',
  ])
  t.strictSame(refused([], { SVC_CONFIG: directory }), [
    `SVC_CONFIG  names ${directory}, which is a directory. Correct SVC_CONFIG or leave it out.`,
  ])
  t.match(refused(['--config', `${directory}/large`])[0], 'large, which is too large')
  t.match(refused(['--config', '/dev/zero'])[0], '/dev/zero, which is too large')
})

t.test('a place of the system that is no file is refused as well', async (t) => {
  const directory = t.testdir()
  const sources = { argv: [], env: {}, isTerminal: false, systemFiles: [directory] }
  t.strictSame(
    problemsOf(() => loadSettings(sharedSettings, sources)),
    [`${directory}  is a directory. Correct or remove it.`],
  )
})
