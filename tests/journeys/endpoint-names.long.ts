import { expect, test } from 'vitest'
import { createFlow, echoGraph, graphOf, until } from './flows.ts'
import { newPerson } from './people.ts'
import { withService, type Service } from './service.ts'

const webhookGraph = (mark: string): unknown =>
  graphOf((flow) => {
    const hook = flow.add('Webhook')
    const parser = flow.add('ParserComponent', { values: { pattern: `${mark} {order}` } })
    flow.connect(`${hook}.output_data`, `${parser}.input_data`)
    flow.connect(`${parser}.parsed_text`, `${flow.add('ChatOutput')}.input_value`)
  })

const textsOf = async (service: Service, key: string, flowId: string): Promise<string[]> => {
  const answer = await service.call('GET', `/api/v1/monitor/messages?flow_id=${flowId}`, { key })
  return (answer.json() as { text: string }[]).map(({ text }) => text)
}

test("an endpoint name reaches the caller's own flow, a webhook the flow it was created for", () =>
  withService({}, async (service) => {
    const ada = await newPerson(service, 'ada')
    const bob = await newPerson(service, 'bob')
    const run = (name: string, key: string) =>
      service.call('POST', `/api/v1/run/${name}`, { key, body: { input_value: 'hi' } })

    // The bundled flow of the superuser is called `echo` too.
    const echo = await createFlow(service, { data: echoGraph(), endpoint_name: 'echo' }, ada.key)
    expect(echo.endpoint_name).toBe('echo')
    const own = await run('echo', ada.key)
    expect([own.status, (own.json() as { session_id?: string }).session_id]).toEqual([200, echo.id])
    expect((await run('echo', bob.key)).status).toBe(403)
    expect((await run(`echo?user_id=${ada.id}`, bob.key)).status).toBe(403)
    expect((await run('nobody-has-this', bob.key)).status).toBe(404)

    // Both want the name; an address without an owner must not mean two flows.
    const first = await createFlow(
      service,
      { data: webhookGraph('ada'), endpoint_name: 'orders' },
      ada.key,
    )
    const second = await createFlow(
      service,
      { data: webhookGraph('bob'), endpoint_name: 'orders' },
      bob.key,
    )
    expect([first.endpoint_name, second.endpoint_name]).toEqual(['orders', 'orders-1'])
    const taken = await service.call('PATCH', `/api/v1/flows/${second.id}`, {
      key: bob.key,
      body: { endpoint_name: 'orders' },
    })
    expect([taken.status, taken.json()]).toEqual([400, { detail: 'Endpoint name must be unique' }])
    // Without a webhook the name is the user's own affair, until one is added.
    const plain = await createFlow(
      service,
      { name: 'Plain', data: echoGraph(), endpoint_name: 'orders' },
      bob.key,
    )
    expect(plain.endpoint_name).toBe('orders')
    const added = await service.call('PATCH', `/api/v1/flows/${plain.id}`, {
      key: bob.key,
      body: { data: webhookGraph('plain') },
    })
    expect(added.status).toBe(400)

    await service.restart()
    const call = (path: string, order: number) =>
      service.call('POST', `/api/v1/webhook/${path}`, { key: null, body: { order } })
    expect((await call('orders', 1)).status).toBe(202)
    expect((await call('orders-1', 2)).status).toBe(202)
    expect((await call(`orders?user_id=${ada.id}`, 3)).status).toBe(202)
    expect((await call(second.id, 4)).status).toBe(202)
    const adas = await until(
      () => textsOf(service, ada.key, first.id),
      ({ length }) => length === 2,
    )
    const bobs = await until(
      () => textsOf(service, bob.key, second.id),
      ({ length }) => length === 2,
    )
    expect(adas.toSorted()).toEqual(['ada 1', 'ada 3'])
    expect(bobs.toSorted()).toEqual(['bob 2', 'bob 4'])
    expect(await textsOf(service, bob.key, plain.id)).toEqual([])

    // The name is free again with the flow that had it.
    await service.call('DELETE', `/api/v1/flows/${first.id}`, { key: ada.key })
    const renamed = await service.call('PATCH', `/api/v1/flows/${plain.id}`, {
      key: bob.key,
      body: { data: webhookGraph('plain') },
    })
    expect(renamed.status).toBe(200)
  }))
