import { createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { createUserCalls } from '@x/test-kit'
import { createFlowService } from '@x/flow-service'
import { expect, test } from 'vitest'

const seen: string[] = []

/** Notes the key that it is given. */
const keyed = defineComponent({
  type: 'Keyed',
  inputs: { api_key: field.secret({ displayName: 'API Key' }) },
  outputs: {
    out: output.message({
      run({ api_key: key }) {
        seen.push(String(key))
        return 'done'
      },
    }),
  },
})

test('HO-54: a run that needs a value of another secret key fails and says so', async () => {
  const components = createRegistry([keyed])
  const services = { environment: { OWN_KEY: 'of the environment' } }
  const { engine, create, call, record } = await createUserCalls({ components, services })
  const named = { name: 'OWN_KEY', value: 'of the user', type: 'Credential', default_fields: [] }
  expect((await call('POST', '/api/v1/variables/', named)).status).toBe(201)
  const flow = flowBuilder()
  flow.add(keyed, { id: 'Keyed-1', values: { api_key: 'OWN_KEY' } })
  const id = await create((flow.toJSON() as { data: unknown }).data)
  const run = async (handler: typeof engine.handler): Promise<[number, string]> => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"output_type":"any"}' }
    const response = await handler(new Request(`http://h/api/v1/run/${id}`, init), {
      user: { userId: record.id, isSuperuser: false },
    })
    return [response.status, await response.text()]
  }
  expect((await run(engine.handler))[0]).toBe(200)
  expect(seen.splice(0)).toEqual(['of the user'])

  const secretKey = 'another secret key of the tests, long enough'
  const later = createFlowService({ ...engine.options, secretKey })
  const [status, text] = await run(later.handler)
  expect(status).toBe(400)
  expect(text).toContain(
    'The variable OWN_KEY was encrypted with another secret key: store it again',
  )
  expect(seen).toEqual([])
  await later.close()
  await engine.close()
})
