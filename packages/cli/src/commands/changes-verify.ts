import { readFile } from 'node:fs/promises'
import type { Verification } from '@svc/client/api'
import { defineCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CheckedLog } from '../log-file.ts'
import { option } from '../options.ts'

export const verify = defineCommand({
  name: 'changes verify',
  summary: 'check that the history is as it was written',
  description: [
    'Ends with 3 when a change was edited, removed, added or moved, and when that cannot be proven.',
    'Without --file the service checks the history of the namespace. With --file this command does it',
    'by itself, on what `svc changes --after 0 --json --documents` has written: keep such a file where the',
    'service cannot write. --key-file is the key of the service, `changes.key`; without it the places of',
    'changes are checked, and not that they are as they were.',
  ].join(' '),
  options: {
    file: option.text('--file FILE', 'changes, one on each line', { completes: 'files' }),
    keyFile: option.list('--key-file FILE', 'the key of the service; then previous ones, if any', {
      completes: 'files',
    }),
  },
  examples: [{ line: 'svc changes verify', text: 'the history of the namespace' }],
  async run(context, { file, keyFile }) {
    if (file === undefined && keyFile.length > 0) {
      throw new CliError(exitCodes.usage, '--key-file needs --file: the service has the key itself')
    }
    const logs = file === undefined ? [await verifyHere(context)] : await verifyFile(file, keyFile)
    context.output.value(file === undefined ? logs[0] : logs, () => logs.map(logText).join('\n'))
    return logs.every(({ intact }) => intact) ? exitCodes.done : exitCodes.differences
  },
})

type Verified = Omit<CheckedLog, 'begin'> & { readonly gaps?: Verification['gaps'] }

/** All slices of the history of a namespace. */
async function verifyHere({ api, namespaceKey, progress, signal }: Context): Promise<Verified> {
  return progress.show('verifying', async (update) => {
    const slices: Verification[] = []
    let after = 0
    do {
      const slice = await api.changes.verify({ namespaceKey, after }, { signal })
      slices.push(slice)
      after = slice.next
      update(`up to revision ${after}`)
    } while (after > 0)
    return joined(namespaceKey, slices)
  })
}

function joined(namespaceKey: string, slices: readonly Verification[]): Verified {
  const last = slices.at(-1)
  const faulty = slices.find(({ fault }) => fault !== '')
  const checked = slices.filter((slice) => slice.checked > 0)
  return {
    namespaceKey,
    intact: slices.every(({ intact }) => intact),
    checked: slices.reduce((sum, slice) => sum + slice.checked, 0),
    fromRevision: checked[0]?.fromRevision ?? 0,
    toRevision: checked.at(-1)?.toRevision ?? 0,
    head: last?.head ?? '',
    ...(last?.brokenAt !== undefined && { brokenAt: last.brokenAt }),
    fault: last?.brokenAt === undefined ? (faulty?.fault ?? '') : last.fault,
    gaps: slices.flatMap(({ gaps }) => gaps),
    unproven: slices.flatMap(({ unproven }) => unproven),
  }
}

async function verifyFile(
  file: string,
  keyFiles: readonly string[],
): Promise<readonly CheckedLog[]> {
  const [{ ChainKeys }, { checkLogFile }] = await Promise.all([
    import('@svc/audit'),
    import('../log-file.ts'),
  ])
  const [key, ...previous] = await Promise.all(keyFiles.map(readKey))
  const logs = await checkLogFile(file, new ChainKeys(key, previous))
  if (logs.length > 0) return logs
  throw new CliError(exitCodes.usage, `${file} has no changes`)
}

/** As services read it: files made by hand end with a line break that is not part of the secret. */
async function readKey(file: string): Promise<string> {
  try {
    const key = (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
    if (key !== '') return key
  } catch (error) {
    throw new CliError(exitCodes.usage, `the key cannot be read: ${(error as Error).message}`)
  }
  throw new CliError(exitCodes.usage, `${file} is empty, and should hold a key`)
}

function logText(log: Verified): string {
  const { namespaceKey, intact, checked, fromRevision, toRevision, head, fault, line } = log
  const place = line === undefined ? '' : ` (line ${line})`
  const range =
    checked === 0 ? 'no changes' : `${checked} changes, revisions ${fromRevision} to ${toRevision}`
  const verdict = intact
    ? 'intact'
    : log.brokenAt === undefined
      ? `not proven: ${fault}`
      : `BROKEN: ${fault}${place}`
  return [
    `${namespaceKey}: ${verdict}`,
    `    checked ${range}`,
    ...(head === '' ? [] : [`    head ${head}`]),
    ...(log.gaps ?? []).map(({ fromRevision, toRevision }) =>
      toRevision === undefined
        ? `    deleted without the log after revision ${fromRevision}`
        : `    written without the log after revision ${fromRevision}, up to ${toRevision}`,
    ),
    ...log.unproven.map(
      ({ keyId, fromRevision, toRevision, count }) =>
        `    not proven: ${count} changes ${keyId === '' ? 'without a key' : `of the unknown key ${keyId}`}, revisions ${fromRevision} to ${toRevision}`,
    ),
  ].join('\n')
}
