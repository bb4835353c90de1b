import { expect, test } from 'vitest'
import { flowBuilder } from '@x/flow-engine/testing'
import { createUserCalls } from '@x/test-kit'

/** A Text Input that loads USER_NAME, a prompt that reads it twice, and a chat output. */
function greeting(): unknown {
  const flow = flowBuilder('greeting')
  flow.add('TextInput', { id: 'TextInput-1', values: { input_value: 'USER_NAME' } })
  flow.add('CombineText', { id: 'CombineText-1', values: { delimiter: ' and ' } })
  flow.add('ChatOutput', { id: 'ChatOutput-1' })
  flow
    .connect('TextInput-1.text', 'CombineText-1.text1')
    .connect('TextInput-1.text', 'CombineText-1.text2')
    .connect('CombineText-1.combined_text', 'ChatOutput-1.input_value')
  const { data } = flow.toJSON()
  Object.assign(data?.nodes?.[0]?.data.node.template.input_value ?? {}, { load_from_db: true })
  return data
}

async function greeted() {
  const { request, call, create, engine } = await createUserCalls()
  const id = await create(greeting())
  const greet = async (headers: Record<string, string>, path = `/api/v1/run/${id}`) => {
    const { text } = await request('POST', path, {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ session_id: 's', output_type: 'chat', input_type: 'any' }),
    })
    return text
  }
  const store = (type: string, value: string) =>
    call('POST', '/api/v1/variables/', { name: 'USER_NAME', value, type, default_fields: [] })
  const rows = async () => (await call('GET', '/api/v1/monitor/messages?session_id=s')).text
  return { greet, store, rows, engine, id }
}

test('J3, FF-31: each of two tenants reads its own name, in answers, streams and stored messages', async () => {
  const { greet, rows, engine, id } = await greeted()
  const name = (value: string) => ({ 'x-langflow-global-var-user_name': value })
  const [anna, bert] = await Promise.all([greet(name('Anna')), greet(name('Bert'))])
  expect(anna).toContain('Anna and Anna')
  expect(bert).toContain('Bert and Bert')
  expect(anna).not.toContain('Bert')
  const streamed = await greet(name('Cleo'), `/api/v1/run/${id}?stream=true`)
  expect(streamed).toContain('Cleo and Cleo')
  for (const text of [anna, bert, streamed, await rows()]) expect(text).not.toContain('*****')
  await engine.close()
})

test('FF-30, FF-32: the type of the stored variable decides, whoever gives the value', async () => {
  const generic = await greeted()
  await generic.store('Generic', 'Dora')
  expect(await generic.greet({})).toContain('Dora and Dora')
  expect(await generic.greet({ 'x-langflow-global-var-user_name': 'Anna' })).toContain(
    'Anna and Anna',
  )
  await generic.engine.close()
  const credential = await greeted()
  await credential.store('Credential', 'Dora')
  const hidden = [
    await credential.greet({}),
    await credential.greet({ 'x-langflow-global-var-user_name': 'Anna' }),
  ]
  for (const text of hidden) {
    expect(text).toContain('***** and *****')
    expect(text).not.toMatch(/Dora|Anna/)
  }
  await credential.engine.close()
})
