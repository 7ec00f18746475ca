import { createApi, type Flag, SvcError } from '@svc/client/api'
import t from 'tap'
import { startStack } from '../support/stack.ts'

const races = Number(process.env.RACES ?? 1000)

type Api = ReturnType<typeof createApi>

t.test(`of two writers with the same tag the second is refused, in ${races} races`, async (t) => {
  const { urls, token } = await startStack(t, { gateways: 2, resources: 2 })
  const api = createApi({ url: urls[0], token })
  const other = createApi({ url: urls[1] ?? urls[0], token })
  const flag = { namespaceKey: 'default', key: 'checkout' }
  let tag: string | undefined
  const keepTag = {
    onAnswer({ etag }: { readonly etag: string | undefined }) {
      tag = etag
    },
  }
  await api.flags.create({ ...flag, name: 'Checkout', type: 'BOOLEAN_FLAG_TYPE' }, keepTag)
  const wrong: string[] = []
  for (let race = 0; race < races; race++) {
    const ifMatch = tag
    let written: string | undefined
    const write = (writer: Api, name: string) =>
      writer.flags.update(
        { ...flag, name },
        {
          ifMatch,
          onAnswer({ status, etag }) {
            if (status === 200) written = etag
          },
        },
      )
    const outcomes = await Promise.allSettled([
      write(api, `first ${race}`),
      write(other, `second ${race}`),
    ])
    const winners = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const losers = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    const fault = await describeFault(winners, losers, written)
    if (fault !== undefined) wrong.push(`race ${race}: ${fault}`)
    tag = written
  }
  t.strictSame(wrong, [])

  async function describeFault(
    winners: readonly Flag[],
    losers: readonly unknown[],
    written: string | undefined,
  ): Promise<string | undefined> {
    const [[winner], [loser]] = [winners, losers]
    if (winners.length !== 1 || winner === undefined) return `${winners.length} were written`
    if (!(loser instanceof SvcError) || loser.status !== 412) return `refused with ${loser}`
    if (loser.etag !== written) return `412 has ${loser.etag}, and ${written} was written`
    const { name } = await api.flags.get(flag)
    return name === winner.name ? undefined : `${name} is stored, and ${winner.name} was answered`
  }
})
