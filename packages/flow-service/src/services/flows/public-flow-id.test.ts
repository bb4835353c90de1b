import { expect, test } from 'vitest'
import { publicFlowId } from './public-flow-id.ts'

test('publicFlowId is a version 5 UUID determined by client and flow', async () => {
  const flow = '2f3f3a1e-5e4f-4d8a-9d64-0a0a0a0a0a0a'
  const id = await publicFlowId('client', flow)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(await publicFlowId('client', flow)).toBe(id)
  expect(await publicFlowId('other', flow)).not.toBe(id)
})

test('publicFlowId hashes both strings joined by an underscore', async () => {
  expect(await publicFlowId('www', 'example.com')).toBe('bf0a7cb1-6953-588f-9ecc-a76e0ac1abef')
})
