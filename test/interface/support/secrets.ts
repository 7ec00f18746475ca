import type { Page } from 'playwright-core'
import type { Test } from 'tap'

/** All that a page could find again later, or show in its address, as texts. */
const kept = `(async () => {
  const texts = [location.href, document.cookie, window.name, JSON.stringify(history.state)]
  for (const storage of [localStorage, sessionStorage])
    for (let i = 0; i < storage.length; i += 1) {
      const key = storage.key(i)
      texts.push(key, storage.getItem(key))
    }
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name))
    for (const store of database.objectStoreNames) {
      const all = database.transaction(store).objectStore(store)
      texts.push(JSON.stringify([await done(all.getAllKeys()), await done(all.getAll())]))
    }
    database.close()
  }
  for (const name of globalThis.caches === undefined ? [] : await caches.keys())
    for (const { url } of await (await caches.open(name)).keys()) texts.push(url)
  return texts.map(String)
})()`

/** No secret is in a storage of the page, in its address or in a cookie that scripts can read. */
export async function expectNoSecrets(
  t: Test,
  page: Page,
  secrets: ReadonlySet<string>,
): Promise<void> {
  if (!page.url().startsWith('http')) return
  const texts = await page.evaluate<string[]>(kept)
  t.ok(texts.length >= 4, 'there is something to look at')
  for (const secret of secrets) {
    t.strictSame(
      texts.filter((text) => text.includes(secret)),
      [],
      'no secret is kept',
    )
  }
}
