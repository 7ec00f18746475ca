import t from 'tap'
import { type CreateTokenForm, schemaFor, toRequest } from './form.ts'
import { createTokenTexts } from './texts.ts'

const now = Date.parse('2026-11-25T12:00:00Z')
const form: CreateTokenForm = {
  name: ' shop ',
  description: '',
  scope: 'one',
  namespaceKey: 'production',
  preset: '90d',
  date: '',
  isSure: false,
  addresses: [],
}

const wrong = (changes: Partial<CreateTokenForm>) => {
  const { error } = schemaFor(createTokenTexts.en, () => now).safeParse({ ...form, ...changes })
  return error?.issues.map(({ path }) => path.join('.')) ?? []
}

t.test('what is wrong is told at its field', async (t) => {
  t.strictSame(wrong({}), [])
  t.strictSame(wrong({ name: '  ' }), ['name'])
  t.strictSame(wrong({ name: 'a'.repeat(256) }), ['name'])
  t.strictSame(wrong({ preset: 'date' }), ['date'])
  t.strictSame(wrong({ preset: 'date', date: '2020-01-01T00:00' }), ['date'])
  t.strictSame(wrong({ preset: 'never' }), ['isSure'])
  t.strictSame(wrong({ preset: 'never', isSure: true }), [])
  t.strictSame(wrong({ addresses: Array.from({ length: 65 }, String) }), ['addresses'])
})

t.test('the request has what was chosen, and nothing else', async (t) => {
  t.strictSame(toRequest({ ...form, name: 'shop' }, now), {
    name: 'shop',
    namespaceKey: 'production',
    expiresAt: '2027-02-23T12:00:00.000Z',
  })
  t.strictSame(
    toRequest(
      {
        ...form,
        description: 'The web shop',
        scope: 'all',
        preset: 'never',
        addresses: ['10.0.0.0/8'],
      },
      now,
    ),
    { name: ' shop ', description: 'The web shop', allowedAddresses: ['10.0.0.0/8'] },
  )
})
