// Writes svc.yaml: the chart, rendered for `kubectl apply` and as a base of Kustomize. Run by `pnpm render`,
// after a change of the chart. Needs Helm 3 on PATH or in KUBE_BIN.
//   node deploy/kubernetes/render.mjs [FILE]
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const directory = fileURLToPath(new URL('.', import.meta.url))
const file = process.argv[2] ?? join(directory, 'svc.yaml')

const head = `\
# The three services, without Helm: the chart of deploy/helm with the values of values.yaml. It has no Secret in
# it. Make them first, of a database of yours:
#
#   kubectl create namespace flags
#   kubectl -n flags create secret generic svc-db --from-literal=url='postgres://user:password@host:5432/name'
#   kubectl -n flags create secret generic svc-internal --from-literal=secret="$(openssl rand -hex 32)" \\
#     --from-literal=assertion_key="$(openssl rand -hex 32)"
#   kubectl -n flags create secret generic svc-changes --from-literal=key="$(openssl rand -hex 32)"
#   kubectl -n flags create secret generic svc-bootstrap --from-literal=token="$(openssl rand -hex 32)"
#   kubectl apply -f svc.yaml
#
# Before an image of the migration Job is changed, delete the Job:
#
#   kubectl -n flags delete job -l app.kubernetes.io/component=migrate
#
# The token of svc-bootstrap is the first one, in an empty database. docs/kubernetes.md says the rest.
# Generated: change the chart and run pnpm render.
`

const args = ['template', 'svc', join(directory, '../helm'), '--namespace', 'flags']
// That of the release for which the chart is tested: what it is rendered for does not depend on Helm's build.
const version = ['--kube-version', 'v1.35.4']
const values = ['--values', join(directory, 'values.yaml'), '--skip-tests']
const rendered = execFileSync(findHelm(), [...args, ...version, ...values], { encoding: 'utf8' })
writeFileSync(file, `${head}${rendered.trimEnd()}\n`)

function findHelm() {
  const built = join(process.env.KUBE_BIN ?? '', 'helm')
  return process.env.KUBE_BIN && existsSync(built) ? built : 'helm'
}
