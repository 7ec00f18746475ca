import type { Fleet } from '@svc/test/support/fleet'

export const flagCount = 50

export const flagsPath = '/api/v1/namespaces/default/flags'

export const keyOf = (number: number) => `flag-${number}`

const three = ['a', 'b', 'c'] as const

/** Makes flags that are larger than most, each with three variants and three rules, which share them out. */
export async function makeFlags({ api }: Fleet): Promise<void> {
  const create = async (path: string, body: object) => {
    const { status, text, body: made } = await api('POST', path, body)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return made as { readonly id: string }
  }
  for (const key of three) {
    await create('/api/v1/namespaces/default/segments', { key, name: key })
  }
  for (let number = 0; number < flagCount; number += 1) {
    const key = keyOf(number)
    const path = `${flagsPath}/${key}`
    await create(flagsPath, { key, name: key, type: 'VARIANT_FLAG_TYPE' })
    const variants: string[] = []
    for (const name of three) {
      const attachment = `{"color":"green","name":"${name}"}`
      variants.push((await create(`${path}/variants`, { key: name, attachment })).id)
    }
    for (const segmentKey of three) {
      const { id } = await create(`${path}/rules`, { segmentKey })
      for (const variantId of variants) {
        await create(`${path}/rules/${id}/distributions`, { variantId, rollout: 33.3 })
      }
    }
  }
}
