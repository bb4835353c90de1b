import { startFakeOpenAi } from '@x/flow-engine/testing'
import { createFlowStore } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFlow, eventsOf, graphOf, until } from './flows.ts'
import { startGate } from './model-gate.ts'
import { withService, type Service } from './service.ts'

const agentGraph = (): unknown =>
  graphOf((flow) => {
    const agent = flow.add('Agent', { values: { api_key: 'sk-journey' } })
    flow.connect(`${flow.add('ChatInput')}.message`, `${agent}.input_value`)
    flow.connect(`${agent}.response`, `${flow.add('ChatOutput')}.input_value`)
  })

const webhookGraph = (): unknown =>
  graphOf((flow) => {
    const hook = flow.add('Webhook')
    const agent = flow.add('Agent', { values: { api_key: 'sk-journey' } })
    const parser = flow.add('ParserComponent', { values: { pattern: '{question}' } })
    flow.connect(`${hook}.output_data`, `${parser}.input_data`)
    flow.connect(`${parser}.parsed_text`, `${agent}.input_value`)
    flow.connect(`${agent}.response`, `${flow.add('ChatOutput')}.input_value`)
  })

test('deleting a flow cancels its queued builds, which never call the model', async () => {
  const model = await startFakeOpenAi()
  const gate = await startGate(model.url)
  const environment = {
    OPENAI_BASE_URL: gate.url,
    SERVICE_MAX_CONCURRENT_BUILDS: '2',
    SERVICE_MAX_WEBHOOK_RUNS: '1',
  }
  try {
    await withService(environment, async (service) => {
      const kept = await createFlow(service, { name: 'Kept', data: agentGraph() })
      const doomed = await createFlow(service, {
        name: 'Doomed',
        data: agentGraph(),
        access_type: 'PUBLIC',
      })
      const hooked = await createFlow(service, { name: 'Hooked', data: webhookGraph() })

      const running = await startBuild(service, kept.id, 'wait')
      const busy = await createFlow(service, { name: 'Busy', data: webhookGraph() })
      await callWebhook(service, busy.id, 'wait')
      const atOnce = await until(
        async () => gate.waiting,
        (count) => count === 2,
      )
      expect(atOnce).toBe(2)
      const waiting = [
        await startBuild(service, doomed.id, 'first'),
        await startBuild(service, doomed.id, 'second'),
      ]
      const keptWaiting = await startBuild(service, kept.id, 'third')
      const visitor = { key: null, headers: { cookie: 'client_id=eve' } }
      const asked = await service.call('POST', `/api/v1/build_public_tmp/${doomed.id}/flow`, {
        ...visitor,
        body: { inputs: { input_value: 'fourth' } },
      })
      const { job_id: visited } = asked.json() as { job_id: string }
      await callWebhook(service, hooked.id, 'fifth')

      for (const { id } of [doomed, hooked])
        expect((await service.call('DELETE', `/api/v1/flows/${id}`)).status).toBe(200)
      const cancelled = { event: 'end', data: { cancelled: true } }
      for (const job of waiting)
        expect((await events(service, job)).at(-1)).toMatchObject(cancelled)
      const seen = await service.call('GET', `/api/v1/build/${visited}/events`)
      expect(eventsOf(seen).at(-1)).toMatchObject(cancelled)

      // The next run belongs to the remaining flow.
      model.reply('Here')
      await service.call('POST', `/api/v1/build/${running}/cancel`)
      await service.call('DELETE', `/api/v1/flows/${busy.id}`)
      const left = await until(
        async () => gate.left,
        (count) => count === 2,
      )
      expect(left).toBe(2)
      expect(JSON.stringify(await events(service, keptWaiting))).toContain('Here')
      await service.restart()
      expect(model.requests).toHaveLength(1)

      const db = openSqlite(join(service.folder, 'service.db'))
      try {
        const { messages, transactions, vertexBuilds } = createFlowStore(db)
        for (const { id } of [doomed, hooked]) {
          expect(await messages.list({ flowId: id })).toEqual([])
          expect((await transactions.list(id, {})).items).toEqual([])
          expect(await vertexBuilds.latest(id)).toEqual([])
        }
      } finally {
        await db.destroy()
      }
    })
  } finally {
    gate.close()
    await model.close()
  }
})

async function startBuild(service: Service, flowId: string, text: string): Promise<string> {
  const answer = await service.call('POST', `/api/v1/build/${flowId}/flow`, {
    body: { inputs: { input_value: text, session: text } },
  })
  expect(answer.status).toBe(200)
  return (answer.json() as { job_id: string }).job_id
}

async function callWebhook(service: Service, flowId: string, question: string): Promise<void> {
  const answer = await service.call('POST', `/api/v1/webhook/${flowId}`, { body: { question } })
  expect(answer.status).toBe(202)
}

async function events(service: Service, jobId: string) {
  return eventsOf(await service.call('GET', `/api/v1/build/${jobId}/events`))
}
