// Runs several test files in this process. Tests run in the order in which they are declared.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

for (const file of (process.env.SVC_TEST_FILES ?? '').split(',')) {
  await import(pathToFileURL(resolve(file)).href)
}
