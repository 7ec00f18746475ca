import { readFile } from 'node:fs/promises'
import t from 'tap'
import { parse } from 'yaml'
import { encodeResponse } from './encode.ts'
import { codecOf } from './messages.test.support.ts'
import { bound } from './testing.ts'

/** The text of what a service behind the gateway answers. */
function encode(operation: string, message: object, pretty = false): string {
  const { output } = bound(operation).operation
  const codec = codecOf(output)
  const bytes = codec.encode(codec.fromPartial(message)).finish()
  return encodeResponse(output, bytes, pretty).toString()
}

type Cases = Readonly<
  Record<string, Readonly<Record<string, readonly [said: object, json: object][]>>>
>

t.test('an answer', async (t) => {
  const file = new URL('../../../test/fixtures/encoded-answers.yml', import.meta.url)
  const { whole, members }: Record<'whole' | 'members', Cases> = parse(await readFile(file, 'utf8'))
  for (const [claim, byOperation] of [...Object.entries(whole), ...Object.entries(members)]) {
    await t.test(claim, async (t) => {
      for (const [operation, cases] of Object.entries(byOperation)) {
        for (const [said, json] of cases) {
          const text = encode(operation, said)
          if (claim in whole) t.equal(text, JSON.stringify(json))
          for (const [name, value] of Object.entries(json)) {
            t.strictSame(JSON.parse(text)[name] ?? null, value, name)
          }
        }
      }
    })
  }

  await t.test('is {} where there is nothing to say', async (t) => {
    t.equal(encodeResponse(bound('DeleteFlag').operation.output, new Uint8Array()).toString(), '{}')
  })

  await t.test('is only indented when that is wanted', async (t) => {
    t.equal(
      encode('ListFlags', {}, true),
      '{\n  "flags": [],\n  "nextPageToken": "",\n  "totalCount": 0\n}',
    )
  })
})
