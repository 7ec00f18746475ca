import t from 'tap'
import { authorize, type Scoped } from './authorize.ts'

const inNamespace = ['namespace', 'namespaceHeader'] as const
const elsewhere = ['global', 'public', 'internal'] as const
const unbound = [null, '']

const attempt =
  (scope: Scoped['scope']['case'], namespaceKey: string | null, namespaceKeys: string[]) => () =>
    authorize({ scope: { case: scope } }, { name: 'ci', namespaceKey }, namespaceKeys)

const restricted = {
  code: 'permission_denied',
  reason: 'namespace_restricted',
  message: 'token "ci" is restricted to namespace "shop"',
}

t.test('a caller without a bound may call every operation', async (t) => {
  for (const scope of [...inNamespace, ...elsewhere, 'self'] as const) {
    for (const own of unbound) t.doesNotThrow(attempt(scope, own, ['other']), scope)
  }
})

t.test('a bound caller may act in its own namespace, and in no other besides', async (t) => {
  for (const scope of inNamespace) {
    t.doesNotThrow(attempt(scope, 'shop', ['shop']), scope)
    t.doesNotThrow(attempt(scope, 'shop', ['shop', 'shop']), scope)
    t.throws(attempt(scope, 'shop', ['other']), restricted, scope)
    t.throws(attempt(scope, 'shop', ['shop', 'other']), restricted, scope)
    t.throws(attempt(scope, 'shop', ['Shop']), restricted, 'keys are compared as they are')
  }
})

t.test('a bound caller may not do what names no namespace, such as an empty batch', async (t) => {
  for (const scope of inNamespace) t.throws(attempt(scope, 'shop', []), restricted, scope)
})

t.test('a bound caller may not do what acts beyond namespaces', async (t) => {
  for (const scope of elsewhere) t.throws(attempt(scope, 'shop', ['shop']), restricted, scope)
})

t.test('a bound caller may act on itself', async (t) => {
  t.doesNotThrow(attempt('self', 'shop', []))
})
