import { startFakeOpenAi, type FakeOpenAi } from '@x/flow-engine/testing'
import { expect, test } from 'vitest'
import { createFlow, eventsOf, graphOf, until } from './flows.ts'
import { newPerson } from './people.ts'
import { withService, type CallOptions, type Service } from './service.ts'

const NO_CREDENTIALS = { detail: 'An API key must be passed as query or header' }

/** The settings that the page of a public flow needs. */
const PAGE_CONFIG = {
  type: 'public',
  max_file_size_upload: 1024,
  voice_mode_available: false,
  frontend_timeout: 0,
}

const agentGraph = (): unknown =>
  graphOf((flow) => {
    const input = flow.add('ChatInput')
    const agent = flow.add('Agent', {
      values: { api_key: 'sk-journey', system_prompt: 'Be kind.' },
    })
    flow.connect(`${input}.message`, `${agent}.input_value`)
    flow.connect(`${agent}.response`, `${flow.add('ChatOutput')}.input_value`)
  })

/** The history that the model got before the last question. */
const historyOf = (model: FakeOpenAi): string[] => {
  const { messages } = model.requests.at(-1) as { messages: { role: string; content: string }[] }
  return messages.filter(({ role }) => role !== 'system').map(({ content }) => content)
}

/** What `act` gives, after the model got a request of it: a reply that nobody fetched would answer a later question. */
async function asked<T>(model: FakeOpenAi, act: () => Promise<T>): Promise<T> {
  const before = model.requests.length
  const result = await act()
  await until(
    async () => model.requests.length,
    (count) => count > before,
  )
  return result
}

test('public-build.md 6, AB-54: strangers chat with a shared flow in separate conversations', async () => {
  const model = await startFakeOpenAi()
  try {
    await withService({ OPENAI_BASE_URL: model.url }, async (service) => {
      const flow = await createFlow(service, { data: agentGraph(), access_type: 'PUBLIC' })
      const eve = visitor(service, flow.id, 'eve')
      const mallory = visitor(service, flow.id, 'mallory')

      // The page reads the flow, and then chats: streamed and polled.
      const page = await service.call('GET', `/api/v1/flows/public_flow/${flow.id}`, {
        key: null,
      })
      expect(page.status).toBe(200)
      const config = await eve.call('GET', '/api/v1/config')
      expect(config.json()).toEqual({ ...PAGE_CONFIG, event_delivery: 'streaming' })
      model.reply('Hello Eve')
      const first = await eve.start('I am Eve', 'shared')
      const streamed = eventsOf(await eve.call('GET', `/api/v1/build/${first}/events`))
      expect(streamed.at(-1)?.event).toBe('end')
      expect(JSON.stringify(streamed)).toContain('Hello Eve')
      model.reply('You are Eve')
      const second = await eve.start('Who am I?', 'shared')
      const polled = await eve.poll(second)
      expect(polled.at(0)?.event).toBe('vertices_sorted')
      expect(JSON.stringify(polled)).toContain('You are Eve')
      expect(historyOf(model)).toEqual(['I am Eve', 'Hello Eve', 'Who am I?'])

      // The same session of another visitor, and of the owner, is another conversation.
      model.reply('I do not know you')
      const foreign = await mallory.start('Who am I?', 'shared')
      await mallory.poll(foreign)
      expect(historyOf(model)).toEqual(['Who am I?'])
      model.reply('You own this')
      await service.call('POST', `/api/v1/run/${flow.id}`, {
        body: { input_value: 'And I?', session_id: 'shared' },
      })
      expect(historyOf(model)).toEqual(['And I?'])

      // Nothing else can be read: other visitors' builds, the owner's, or without a cookie.
      model.reply('Seen by the owner alone')
      const owned = await asked(model, () =>
        service.call('POST', `/api/v1/build/${flow.id}/flow`, { body: {} }),
      )
      const { job_id: own } = owned.json() as { job_id: string }
      for (const job of [first, own, '00000000-0000-4000-8000-000000000001']) {
        for (const [method, path] of [
          ['GET', 'events'],
          ['GET', 'events?event_delivery=polling&cursor=-1'],
          ['POST', 'cancel'],
        ] as const) {
          const refused = await mallory.call(method, `/api/v1/build/${job}/${path}`)
          expect([refused.status, refused.json()]).toEqual([403, NO_CREDENTIALS])
        }
      }
      const bare = await service.call('GET', `/api/v1/build/${first}/events`, { key: null })
      expect(bare.status).toBe(403)
      const unnamed = await service.call('GET', '/api/v1/config', { key: null })
      expect([unnamed.status, unnamed.json()]).toEqual([403, NO_CREDENTIALS])
      const bad = await eve.call('GET', '/api/v1/config?x-api-key=sk-wrong')
      expect(bad.status).toBe(403)
      for (const path of [
        `/api/v1/monitor/messages?flow_id=${flow.id}`,
        `/api/v1/monitor/builds?flow_id=${flow.id}`,
        `/api/v1/flows/${flow.id}`,
      ])
        expect((await eve.call('GET', path)).status).toBe(403)
      // With an account of their own visitors stay visitors; the owner sees the build.
      const bob = await newPerson(service, 'bob')
      const asBob = { key: bob.key, headers: { cookie: 'client_id=eve' } }
      const seen = await service.call('GET', `/api/v1/build/${first}/events`, asBob)
      expect(seen.status).toBe(200)
      const notSeen = await service.call('GET', `/api/v1/build/${own}/events`, asBob)
      expect(notSeen.status).toBe(404)
      expect((await service.call('GET', `/api/v1/build/${first}/events`)).status).toBe(200)

      // A visitor stops an answer, and another process of the server still knows whose it was.
      model.reply({ text: 'late', delayMs: 20_000 })
      const slow = await asked(model, () => eve.start('Take your time', 'shared'))
      const stopped = await eve.call('POST', `/api/v1/build/${slow}/cancel`)
      expect(stopped.json()).toMatchObject({ success: true })
      const end = eventsOf(await eve.call('GET', `/api/v1/build/${slow}/events`)).at(-1)
      expect(end).toEqual({ event: 'end', data: { cancelled: true } })
      await service.restart()
      const after = eventsOf(await eve.call('GET', `/api/v1/build/${first}/events`))
      expect(after.map(({ event }) => event)).toEqual(streamed.map(({ event }) => event))
      expect((await mallory.call('GET', `/api/v1/build/${first}/events`)).status).toBe(403)

      // A flow that is deleted ends what its visitors have running.
      const doomed = await createFlow(service, { data: agentGraph(), access_type: 'PUBLIC' })
      model.reply({ text: 'too late', delayMs: 60_000 })
      const last = await asked(model, () =>
        visitor(service, doomed.id, 'eve').start('Anybody?', 'shared'),
      )
      expect((await service.call('DELETE', `/api/v1/flows/${doomed.id}`)).status).toBe(200)
      const over = eventsOf(await service.call('GET', `/api/v1/build/${last}/events`)).at(-1)
      expect(over).toEqual({ event: 'end', data: { cancelled: true } })

      await service.restart({ environment: { SERVICE_PUBLIC_BUILD_READERS: 'false' } })
      expect((await eve.call('GET', `/api/v1/build/${first}/events`)).status).toBe(403)
      const direct = await eve.call('GET', '/api/v1/config')
      expect(direct.json()).toEqual({ ...PAGE_CONFIG, event_delivery: 'direct' })
      const path = `/api/v1/build_public_tmp/${flow.id}/flow?event_delivery=direct`
      const body = { inputs: { input_value: 'Still there?', session: 'shared' } }
      model.reply('As ever')
      const told = eventsOf(await eve.call('POST', path, { body }))
      expect(told.at(-1)?.event).toBe('end')
      expect(JSON.stringify(told)).toContain('As ever')
    })
  } finally {
    await model.close()
  }
})

/** A browser without an account, which holds its `client_id` cookie. */
function visitor(service: Service, flowId: string, clientId: string) {
  const call = (method: string, path: string, options: CallOptions = {}) =>
    service.call(method, path, {
      ...options,
      key: null,
      headers: { cookie: `client_id=${clientId}` },
    })
  return {
    call,
    async start(text: string, session: string): Promise<string> {
      const path = `/api/v1/build_public_tmp/${flowId}/flow?event_delivery=polling`
      const answer = await call('POST', path, { body: { inputs: { input_value: text, session } } })
      expect(answer.status).toBe(200)
      return (answer.json() as { job_id: string }).job_id
    },
    async poll(jobId: string) {
      const events = []
      while (events.at(-1)?.event !== 'end') {
        const path = `/api/v1/build/${jobId}/events?event_delivery=polling`
        const answer = await call('GET', path)
        expect(answer.status).toBe(200)
        events.push(...eventsOf(answer))
      }
      return events
    },
  }
}
