import { expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { flowBuilder } from '@x/flow-engine/testing'
import { createTestEngine } from '@x/test-kit'

test('AB-32, AB-76: heavy work of visitors waits in a queue separate from the owner’s', async () => {
  const turns: (string | undefined)[] = []
  const engine = await createTestEngine({
    services: {
      jsonQueries: {
        async query(_expression, _input, { userId }) {
          turns.push(userId)
          return [{}]
        },
      },
    },
  })
  const { id: userId } = await engine.services.users.create({
    username: 'ada',
    password: 'secret-1',
    isActive: true,
  })
  const flow = flowBuilder('Flow', { components: builtinComponents })
  const from = flow.add('Webhook', { values: { data: '{"a": 1}' } })
  const values = { operations: [{ name: 'JQ Expression' }], query: '.a' }
  const to = flow.add('DataOperations', { values })
  const { data } = flow.connect(`${from}.output_data`, `${to}.data`).toJSON()
  // The editor shows a field before somebody fills it.
  Object.assign(data?.nodes?.[1]?.data.node.template?.query ?? {}, { show: true })
  const call = async (path: string, body: object, headers: Record<string, string> = {}) =>
    engine.handler(
      new Request(`http://host.example/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
      'cookie' in headers ? {} : { user: { userId, isSuperuser: false } },
    )
  const made = await call('/flows/', {
    name: 'open',
    access_type: 'PUBLIC',
    data,
  })
  const { id } = (await made.json()) as { id: string }
  const direct = '?event_delivery=direct'
  await (await call(`/build/${id}/flow${direct}`, {})).text()
  const cookie = { cookie: 'client_id=somebody' }
  await (await call(`/build_public_tmp/${id}/flow${direct}`, {}, cookie)).text()
  expect(turns).toEqual([userId, `visitors of ${userId}`])
  await engine.close()
})
