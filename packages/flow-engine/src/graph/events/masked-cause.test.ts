import { expect, test } from 'vitest'
import { maskedCause } from './masked-cause.ts'
import { createSecrets } from './secrets.ts'

const SECRET = 'line one\n"two" & three=4'

function secrets() {
  const known = createSecrets()
  known.add(SECRET)
  return known
}

test('DR-22: a secret is masked in JSON, in addresses, in forms and in base64', () => {
  const { mask } = secrets()
  const forms = [
    JSON.stringify({ key: SECRET }),
    `https://x.test/?key=${encodeURIComponent(SECRET)}`,
    new URLSearchParams({ key: SECRET }).toString(),
    `Basic ${btoa(SECRET)}`,
  ]
  expect(forms.map(mask)).toEqual([
    '{"key":"*****"}',
    'https://x.test/?key=*****',
    'key=*****',
    expect.stringMatching(/^Basic \*{5}=*$/),
  ])
})

test('DR-22: causes show no secret at any depth, and are unchanged if they contain none', () => {
  const { mask } = secrets()
  const inner = new TypeError(`refused: ${SECRET}`)
  const outer = new Error('outer', { cause: inner })
  const shown = maskedCause(outer, mask)
  expect(shown).toBeInstanceOf(Error)
  const { cause } = shown as Error
  expect(cause).toMatchObject({ name: 'TypeError', message: 'refused: *****' })
  expect((cause as Error).stack).not.toContain(SECRET)
  expect(maskedCause(`plain ${SECRET}`, mask)).toBe('plain *****')
  const harmless = new Error('outer', { cause: new Error('inner') })
  expect(maskedCause(harmless, mask)).toBe(harmless)
})
