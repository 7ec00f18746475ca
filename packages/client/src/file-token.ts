import { checkToken, type TokenSource } from './credential.ts'

/** Reads a file of text. @throws {SvcError} code 16 */
export type ReadText = (file: string) => Promise<string>

/** A token in a file, which is read for each connection. */
export function fileToken(file: string, readText: ReadText): TokenSource {
  let last: string | undefined
  const read = async () => checkToken(await readText(file), file)
  return {
    async get() {
      last = undefined
      last = await read()
      return last
    },
    async renew(refused) {
      return (await read()) !== refused
    },
    async hasChanged() {
      return await read().then(
        (token) => token !== last,
        () => false,
      )
    },
    close() {},
  }
}
