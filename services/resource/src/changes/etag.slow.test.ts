import t from 'tap'
import { noContext } from '../testing/lenient.ts'
import { openResources, type Resources } from '../testing/resources.ts'
import { commitChange } from './commit.ts'
import { readIfMatch } from './etag.ts'

const target = { namespaceKey: 'default', records: [{ kind: 'flag', key: 'f' }] } as const
const record = target.records[0]
const read = (header: string) => readIfMatch({ get: () => header }, record)?.tags

/** Context of a call with `If-Match`, and the trailers that it is sent. */
function callWith(ifMatch?: string) {
  const trailers: Record<string, string> = {}
  return {
    ...noContext,
    trailers,
    get: (name: string) => (name === 'svc-if-match' ? ifMatch : undefined),
    setTrailer(name: string, value: string) {
      trailers[name] = value
    },
  }
}

/** The tag that the answer to a call has. */
async function tagOf(work: (context: ReturnType<typeof callWith>) => Promise<unknown>) {
  const context = callWith()
  await work(context)
  return context.trailers['svc-etag']
}

t.test('If-Match', async (t) => {
  await t.test('is * or a list of tags, of which those of proxies may be weak', async (t) => {
    const headers = {
      '*': '*',
      ' * ': '*',
      '"default:42"': ['default:42'],
      'W/"default:42"': ['default:42'],
      '"a:1", W/"b,c:2" ,"d:3"': ['a:1', 'b,c:2', 'd:3'],
      ' , "a:1",, ': ['a:1'],
      '""': [''],
    }
    for (const [header, expected] of Object.entries(headers)) {
      t.strictSame(read(header), expected, header)
    }
  })

  await t.test('is refused when it is anything else', async (t) => {
    const bare = ['', ' ', ',', 'default:42', '42', '"default:42', 'default:42"', 'w/"a:1"']
    const lists = ['"a:1" "b:2"', '"a:1";"b:2"', '*, "a:1"', '"a:1", *', '"a 1"', 'W/ "a:1"']
    for (const header of [...bare, ...lists]) {
      t.throws(() => read(header), { code: 'invalid_argument', message: /If-Match/ }, header)
    }
  })

  await t.test('is refused for a write to more than one record', async (t) => {
    const { db, createFlag } = await openResources(t)
    const context = callWith('*')
    const segment = { kind: 'segment', key: 's' } as const
    await createFlag({ key: 'f', name: 'F' })
    for (const records of [[], [record, segment]]) {
      const write = commitChange(db, { ...target, records }, context, async () => {})
      await t.rejects(write, { code: 'invalid_argument', message: /If-Match/ })
    }
    t.strictSame(context.trailers, {})
  })
})

t.test('a write', async (t) => {
  const resources = await openResources(t)
  const { db, createFlag, updateFlag, deleteFlag, getFlag, revision } = resources
  const { getFlagDocument, putFlagDocument } = resources
  const made = await tagOf((context) => createFlag({ key: 'f', name: 'F' }, context))
  const changed = await tagOf((context) => updateFlag({ key: 'f', name: 'G' }, context))
  const refused = async (ifMatch: string, message: string) => {
    const context = callWith(ifMatch)
    const write = updateFlag({ key: 'f', name: 'H' }, context)
    await t.rejects(write, { code: 'failed_precondition', reason: 'revision_mismatch', message })
    t.strictSame(context.trailers, {
      'svc-revision': changed?.replaceAll('"', ''),
      'svc-etag': changed,
    })
  }

  await t.test('has the tag that a read has after it', async (t) => {
    t.equal(changed, `"default:${await revision()}"`)
    t.not(changed, made)
    t.equal(await tagOf((context) => getFlag({ key: 'f' }, context)), changed)
  })

  await t.test('is refused with another tag, and says what is there', async (t) => {
    const [now, then] = [changed, made].map((tag) => tag?.slice(9, -1))
    await refused(String(made), `flag "default/f" is at revision ${now}, not ${then}`)
    const vague = `flag "default/f" is at revision ${now}, not what If-Match names`
    await refused(`"other:${now}"`, vague)
    await refused(`${made}, "default:9999"`, vague)
    await refused('"default:042"', vague)
    t.match(await getFlag({ key: 'f' }), { name: 'G' })
  })

  await t.test('is made with its tag, one of several, or *', async (t) => {
    let tag = changed
    for (const ifMatch of [() => `${tag}`, () => `"x:1", W/${tag}`, () => '*']) {
      const context = callWith(ifMatch())
      await updateFlag({ key: 'f', name: 'H' }, context)
      tag = context.trailers['svc-etag']
      t.equal(tag, `"default:${await revision()}"`)
    }
  })

  await t.test('of what does not exist is refused with any', async (t) => {
    const message = 'flag "default/g" does not exist'
    for (const ifMatch of ['*', String(made)]) {
      for (const write of [createFlag, updateFlag, deleteFlag]) {
        await t.rejects(write({ key: 'g', name: 'G' }, callWith(ifMatch)), { message })
        const elsewhere = { namespaceKey: 'missing', key: 'g', name: 'G' }
        await t.rejects(write(elsewhere, callWith(ifMatch)), { code: 'failed_precondition' })
      }
    }
  })

  await t.test('that changes nothing has the tag of what is there; a deletion none', async (t) => {
    const present = await tagOf((context) => getFlag({ key: 'f' }, context))
    t.equal(await tagOf((context) => commitChange(db, target, context, async () => {})), present)
    const { flag } = await getFlagDocument({ key: 'f' })
    t.equal(await tagOf((context) => putFlagDocument({ key: 'f', flag }, context)), present)
    const context = callWith(present)
    await deleteFlag({ key: 'f' }, context)
    t.match(Object.keys(context.trailers), ['svc-revision'])
  })
})

t.test('the tag of a namespace', async (t) => {
  const resources = await openResources(t)
  const { db, createFlag, createNamespace, updateNamespace, getNamespace } = resources
  const read = () => tagOf((context) => getNamespace({ key: 'n' }, context))
  const made = await tagOf((context) => createNamespace({ key: 'n', name: 'N' }, context))

  await t.test('is the revision of its settings, whatever is in it', async (t) => {
    await createFlag({ namespaceKey: 'n', key: 'f', name: 'F' })
    t.equal(await read(), made)
    await updateNamespace({ key: 'n', name: 'M' }, callWith(made))
    t.not(await read(), made)
  })

  await t.test('is that of its last change where the release before has written', async (t) => {
    await writeAsBefore(resources)
    const tag = await read()
    t.equal(tag, `"n:${await resources.revision('n')}"`)
    await createFlag({ namespaceKey: 'n', key: 'g', name: 'G' })
    await t.rejects(updateNamespace({ key: 'n', name: 'O' }, callWith(tag)))
    await updateNamespace({ key: 'n', name: 'O' }, callWith(await read()))
    t.match(await db.query('SELECT settings_revision > 0 AS known FROM resource.namespaces'), [
      { known: true },
      { known: true },
    ])
  })

  await t.test('is checked when it is to be made', async (t) => {
    const expects = async (key: string, ifMatch: string | undefined, code: string) => {
      await t.rejects(createNamespace({ key, name: 'N' }, callWith(ifMatch)), { code })
    }
    await expects('m', '*', 'failed_precondition')
    await expects('m', '"m:1"', 'failed_precondition')
    await expects('n', '"n:1"', 'failed_precondition')
    await expects('n', await read(), 'already_exists')
    await expects('n', '*', 'already_exists')
  })
})

/** The release before knows no `settings_revision`. */
async function writeAsBefore({ db }: Resources): Promise<void> {
  await db.query(
    `UPDATE resource.namespaces SET name = 'Old', revision = nextval('resource.revisions')
      WHERE key = 'n'`,
  )
}
