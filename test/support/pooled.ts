/**
 * The settings by which services reach a database: by way of the PgBouncer of this test run, where there is one
 * and the database is on the server behind it.
 */
export function databaseEnv(url: string): Record<string, string> {
  const { SVC_TEST_POOLER_PORT: port, SVC_TEST_DATABASE_URL: server } = process.env
  const isPooled = port !== undefined && server !== undefined && isOn(url, server)
  if (!isPooled) return { SVC_DB_URL: url }
  const pooled = Object.assign(new URL(url), { host: `127.0.0.1:${port}` })
  return { SVC_DB_URL: pooled.href, SVC_DB_DIRECT_URL: url }
}

function isOn(url: string, server: string): boolean {
  return URL.canParse(url) && new URL(url).host === new URL(server).host
}
