// What deploy/observability asks of Prometheus, for the tests that ask the same.
import { readFileSync } from 'node:fs'

const read = (name) =>
  readFileSync(new URL(`../deploy/observability/${name}`, import.meta.url), 'utf8')

/** Metrics that a service does not have in every installation, each with what it needs. */
const special = { svc_certificate_expiry_timestamp_seconds: 'mTLS between the services' }

/**
 * Every query of the dashboard, as Grafana fills its variables in: everything, and a time over which rates are taken.
 *
 * @param rateInterval such as `1m`; Grafana takes four intervals of scraping at least
 * @returns pairs of the panel's title and the expression
 */
export function dashboardQueries(rateInterval) {
  const { panels } = JSON.parse(read('dashboard.json'))
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [
      title,
      expr
        .replaceAll('$namespace', '.*')
        .replaceAll('$job', '.+')
        .replaceAll('$__rate_interval', rateInterval),
    ]),
  )
}

/** The metrics that the alert rules look at, and that every installation has. */
export function alertMetrics() {
  const names = new Set(read('alerts.yml').match(/\b(?:svc|http_server)_[a-z_]+\b/g))
  return ['up', ...names].filter((name) => !(name in special))
}
