// The database: its roles, backup and restore, and a token without a credential.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call, compose, lines, project, run } from './stack.mjs'
import { check, waitFor } from './tally.mjs'

const flags = '/api/v1/namespaces/default/flags'
const services = ['auth', 'resource']

export async function keepsSchemasApart() {
  await check('auth and resource each read their own tables alone', async () => {
    const tables = { auth: 'auth.authentications', resource: 'resource.flags' }
    for (const service of services) {
      const url = await compose('exec', '-T', service, 'cat', `/run/secrets/${service}-db/url`)
      for (const owner of services) {
        const command = ['psql', url, '-c', `TABLE ${tables[owner]}`]
        const asking = compose('exec', '-T', 'postgres', ...command)
        if (owner === service) await asking
        else await assert.rejects(asking, /permission denied for schema/)
      }
      const listing = compose('exec', '-T', service, 'ls', '/run/secrets')
      assert.ok(!lines(await listing).includes('postgres'), `${service} has the owner's password`)
    }
  })
}

/** The blocks of commands of a section of docs/compose.md, each to be run as it is printed. */
async function commandsOf(title) {
  const page = await readFile(new URL('../docs/compose.md', import.meta.url), 'utf8')
  const section = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? ''
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code)
  assert.ok(blocks.length > 0, `docs/compose.md has no commands under ${title}`)
  return blocks.map((block) => (directory) => {
    const into = directory ?? tmpdir()
    const files = { DUMP: join(into, 'svc.dump'), KEY: join(into, 'changes.key') }
    const own = block
      .replaceAll(' svc_', ` ${project}_`)
      .replaceAll('svc.dump', '"$DUMP"')
      .replaceAll('changes.key', '"$KEY"')
    return run('bash', ['-euc', own], files)
  })
}

/** Runs statements as the owner. @returns rows of values */
const psql = (statements) =>
  compose('exec', '-T', 'postgres', 'psql', '--username=svc', '-Atqc', statements)

/** @param directory for the backup */
export async function restores(token, directory) {
  const statusOf = async (...request) => (await call(...request, token)).status
  await check('what was backed up is restored, as docs/compose.md says', async () => {
    const flag = { key: 'kept', name: 'kept', type: 'BOOLEAN_FLAG_TYPE' }
    const [backUp, restore] = await commandsOf('Back up and restore')
    assert.equal(await statusOf('POST', flags, flag), 200)
    await backUp(directory)
    const key = await compose('exec', '-T', 'resource', 'cat', '/run/secrets/changes/key')
    const kept = await readFile(join(directory, 'changes.key'), 'utf8')
    assert.equal(kept.trim(), key.trim())
    assert.match(kept.trim(), /^\S{32,}$/)
    assert.equal(await statusOf('DELETE', `${flags}/kept`, undefined), 200)
    // As a migration after the backup may make.
    await psql('CREATE TABLE resource.later (key text REFERENCES resource.namespaces)')
    await restore(directory)
    assert.equal((await psql("SELECT to_regclass('resource.later') IS NULL")).trim(), 't')
    const evaluated = { flagKey: 'kept', entityId: 'user-42' }
    await waitFor(10_000, async () => {
      assert.equal(await statusOf('POST', '/evaluate/v1/boolean', evaluated), 200)
    })
    assert.equal(await statusOf('DELETE', `${flags}/kept`, undefined), 200)
  })
}

/** Needs the stack to be up. Removes the roles of the services, then renews all secrets. */
export async function renewsSecrets(token) {
  await check('new secrets, for a database without roles of services', async () => {
    const removals = services.map((name) => `DROP OWNED BY svc_${name}; DROP ROLE svc_${name};`)
    await compose('stop', ...services)
    await psql(removals.join(' '))
    const [renew] = await commandsOf('Secrets')
    await renew()
    assert.equal((await call('GET', '/auth/v1/self', undefined, token)).status, 200)
    await keepsSchemasApart()
  })
  await check('a lost token is replaced by the command of docs/compose.md', async () => {
    const log = await compose('logs', '--no-log-prefix', 'auth')
    assert.ok(!log.includes('client_token'), 'the log of the first start is gone')
    const [create] = await commandsOf('Lost token')
    const [found = ''] = /\bsvc_[\w-]+/.exec(await create()) ?? []
    for (const one of [found, token]) {
      assert.equal((await call('GET', '/auth/v1/self', undefined, one)).status, 200)
    }
  })
}
