import { startFakeOpenAi } from '@x/flow-engine/testing'
import { expect, test } from 'vitest'
import { createFlow, echoGraph, eventsOf, graphOf, type StreamEvent } from './flows.ts'
import { withService } from './service.ts'

const streamingGraph = (): unknown =>
  graphOf((flow) => {
    const input = flow.add('ChatInput')
    const values = { api_key: 'OPENAI_API_KEY', stream: true }
    const model = flow.add('LanguageModelComponent', { values })
    flow.connect(`${input}.message`, `${model}.input_value`)
    flow.connect(`${model}.text_output`, `${flow.add('ChatOutput')}.input_value`)
  })

const kinds = (events: readonly StreamEvent[]): string[] => events.map(({ event }) => event)

test('a build has two readers: one disconnects and resumes at its cursor, and a poller misses no event', async () => {
  const model = await startFakeOpenAi()
  try {
    await withService(
      { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-journey' },
      async (service) => {
        const { id } = await createFlow(service, { data: streamingGraph() })
        const words = Array.from({ length: 30 }, (_, index) => `word${index} `)
        model.reply({ chunks: words, chunkDelayMs: 40 })
        const started = await service.call('POST', `/api/v1/build/${id}/flow`, {
          body: { inputs: { input_value: 'Count' } },
        })
        const { job_id: job } = started.json() as { job_id: string }
        const events = `/api/v1/build/${job}/events`

        const staying = service.call('GET', `${events}?cursor=-1`)
        // The other loses its connection in the middle of the answer.
        const left = await readUntil(`${service.url}${events}?cursor=-1`, service.key, 'token')
        const last = left.at(-1)?.seq ?? -1
        const back = await service.call('GET', `${events}?cursor=${last}`)
        const whole = eventsOf(await staying)
        expect(kinds(whole)).toContain('token')
        expect(whole.at(-1)?.event).toBe('end')
        expect([...left, ...eventsOf(back)]).toEqual(whole)

        // Nobody's reading takes an event from a poller that names no cursor.
        const polled = eventsOf(await service.call('GET', `${events}?event_delivery=polling`))
        expect(kinds(polled)).toEqual(kinds(whole))
        const again = eventsOf(await service.call('GET', `${events}?event_delivery=polling`))
        expect(kinds(again)).toEqual(['end'])

        const echo = await createFlow(service, { name: 'Echo', data: echoGraph() })
        const counts = await Promise.all(
          Array.from({ length: 20 }, async () => {
            const begun = await service.call('POST', `/api/v1/build/${echo.id}/flow`, {
              body: {},
            })
            const path = `/api/v1/build/${(begun.json() as { job_id: string }).job_id}/events`
            const seen: StreamEvent[] = []
            const poll = async () => {
              while (seen.at(-1)?.event !== 'end')
                seen.push(...eventsOf(await service.call('GET', `${path}?event_delivery=polling`)))
            }
            const streams = [service.call('GET', path), service.call('GET', path)]
            await Promise.all([poll(), ...streams])
            return [seen.length, ...(await Promise.all(streams)).map((s) => eventsOf(s).length)]
          }),
        )
        for (const [seen, one, two] of counts) expect([seen, seen]).toEqual([one, two])
      },
    )
  } finally {
    await model.close()
  }
})

/** The whole lines that a reader got before it hung up, at the first event of a kind. */
async function readUntil(url: string, key: string, kind: string): Promise<StreamEvent[]> {
  const leave = new AbortController()
  const response = await fetch(url, { headers: { 'x-api-key': key }, signal: leave.signal })
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk)
    if (text.includes(`"event": "${kind}"`)) break
  }
  leave.abort()
  return eventsOf({ text: text.slice(0, text.lastIndexOf('\n')) })
}
