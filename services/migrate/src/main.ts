import { databaseUrl, directDatabaseUrl, sharedSettings } from '@svc/config'
import { migrate } from '@svc/database'
import { type ProcessCommand, type ProcessContext, runProcess } from '@svc/process'

/** The services that have a schema each, of the same name. */
type Owner = 'auth' | 'resource'

await runProcess({
  name: 'migrate',
  about: 'brings the database up to date, then ends.',
  settings: sharedSettings,
  needs: [databaseUrl],
  defaultCommand: 'all',
  commands: {
    all: command('brings both schemas up to date', 'auth', 'resource'),
    auth: command('brings the schema of auth up to date', 'auth'),
    resource: command('brings the schema of resource up to date', 'resource'),
  },
})

function command(about: string, ...owners: readonly Owner[]): ProcessCommand {
  const run = async ({ settings, log }: ProcessContext) => {
    const ownerUrl = settings.db.ownerUrl?.reveal()
    const directUrl = directDatabaseUrl(settings)
    for (const owner of owners) {
      // The image has them at the same place.
      const directory = new URL(`../../${owner}/migrations/`, import.meta.url)
      await migrate(databaseUrl(settings), owner, directory, { log, ownerUrl, directUrl })
    }
    return undefined
  }
  return { about, prepare: () => run }
}
