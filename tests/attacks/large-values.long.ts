// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { besideHealth, HEALTH_NOTED, useService } from './attack.ts'
import { readFlow } from './flow-of.ts'
import { saveFlow } from './flows.ts'

const service = useService({})

test('AB-38 splitting a text into 100,000 rows does not block the server', async () => {
  const flow = await saveFlow(service(), [
    ['ChatInput'],
    ['SplitText', { chunk_size: 10, chunk_overlap: 5 }, 'message>data_inputs'],
    ['ChatOutput', {}, 'dataframe>input_value'],
  ])
  const text = Array.from({ length: 100_000 }, (_, row) => `value ${row}`).join('\n')
  const { result, slowest } = await besideHealth(service(), () =>
    service().call('POST', `/api/v1/run/${flow}?stream=false`, {
      body: { input_value: text, output_type: 'chat' },
    }),
  )
  // As a table in Markdown it is longer than a message may be.
  expect([result.status, result.text]).toEqual([500, expect.stringContaining('16777216')])
  expect(slowest).toBeLessThan(HEALTH_NOTED)
})

test('AB-38 a form with too many parts is refused without blocking the server', async () => {
  const part = '--b\r\ncontent-disposition: form-data; name="x"; filename="a"\r\n\r\n1\r\n'
  const { result, slowest } = await besideHealth(service(), () =>
    service().call('POST', '/api/v2/files', {
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: `${part.repeat(100_000)}--b--`,
    }),
  )
  expect([result.status, result.json()]).toEqual([400, { detail: 'The form cannot be read' }])
  expect(slowest).toBeLessThan(HEALTH_NOTED)
})

test('AB-38 creating 1,000 flows in one request does not block the server', async () => {
  const data = await readFlow()
  const flows = Array.from({ length: 1000 }, (_, at) => ({ name: `of a list ${at}`, data }))
  const { result, slowest } = await besideHealth(service(), () =>
    service().call('POST', '/api/v1/flows/batch/', { body: { flows } }),
  )
  expect([result.status, result.json()]).toEqual([201, expect.objectContaining({ length: 1000 })])
  expect(slowest).toBeLessThan(HEALTH_NOTED)
})
