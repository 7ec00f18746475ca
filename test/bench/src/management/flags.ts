import type { Fleet } from '@svc/test/support/fleet'

export const flagCount = 1000

/** Concurrent requests, while flags are made and while they are measured. */
export const connections = 16

export const keyOf = (number: number) => `flag-${number % flagCount}`

const metadata = { owner: 'payments', ticket: 'PAY-1234' }

/** Body of an update that changes nothing but the revision and the name. */
export const updateOf = (name: string) => ({
  name,
  description: 'Routes customers to the new checkout, by country and plan.',
  enabled: true,
  metadata,
})

/** Makes flags of the usual kind, each with two variants. */
export async function makeFlags({ api }: Fleet): Promise<void> {
  const create = async (path: string, body: object) => {
    const { status, text } = await api('POST', path, body)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
  }
  const flags = '/api/v1/namespaces/default/flags'
  let next = 0
  const worker = async () => {
    for (let number = next++; number < flagCount; number = next++) {
      const key = keyOf(number)
      await create(flags, { key, type: 'VARIANT_FLAG_TYPE', ...updateOf(key) })
      for (const variant of ['control', 'treatment']) {
        await create(`${flags}/${key}/variants`, { key: variant, attachment: '{"color":"green"}' })
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
}
