import { needs } from '@x/test-kit/needs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openAiModel } from '@x/flow-components'
import { createFlow } from '@x/flow-engine'
import { chatInput, chatOutput } from '@x/flow-engine/components'
import { describe, expect, test } from 'vitest'
import { postgresDatabase } from '../../packages/store-kysely/test/databases.ts'
import { inFolder, startServer, type Started } from '../server/start-server.ts'

const WORDS = Array.from({ length: 20 }, (_, n) => `w${n + 1} `)

/** A model that stops after seven words the first time it is asked. */
async function outside() {
  let questions = 0
  const server = createServer((request, reply) => {
    request.resume()
    questions += 1
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    const words = questions === 1 ? WORDS.slice(0, 7) : WORDS
    const chunk = (delta: object, finish: string | null = null): void => {
      const choices = [{ index: 0, delta, finish_reason: finish }]
      reply.write(`data: ${JSON.stringify({ id: 'a', model: 'm', choices })}\n\n`)
    }
    for (const content of words) chunk({ content })
    if (questions === 1) return
    chunk({}, 'stop')
    reply.end('data: [DONE]\n\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function streaming(url: string): string {
  const flow = createFlow('streaming')
  const model = flow.add(openAiModel, {
    values: { openai_api_base: `${url}/v1`, api_key: 'MODEL_KEY', stream: true },
  })
  flow
    .connect(flow.add(chatInput).outputs.message, model.inputs.input_value)
    .connect(model.outputs.text_output, flow.add(chatOutput).inputs.input_value)
  return JSON.stringify(flow)
}

/** The text that a reader of the stream holds at its end. */
function held(stream: string): string {
  let text = ''
  for (const line of stream.split('\n')) {
    if (!line.startsWith('data: {')) continue
    const chunk = JSON.parse(line.slice('data: '.length)) as { type: string; delta?: string }
    if (chunk.type === 'reset-step') text = ''
    if (chunk.type === 'text-delta') text += chunk.delta ?? ''
  }
  return text
}

/** What the page that resumes after the crash holds. */
async function crashAndResume(environment: Record<string, string>): Promise<string> {
  const model = await outside()
  const settings = {
    SERVICE_SECRET_KEY: 'a secret that all of them are given',
    SERVICE_SSRF_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'error',
    ...environment,
  }
  let server: Started = await startServer(settings)
  try {
    const key = /^API key: (\S+)/m.exec(server.output())?.[1] ?? ''
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const post = (path: string, body: string): Promise<Response> =>
      fetch(server.url + path, { method: 'POST', headers, body })
    const variable = { name: 'MODEL_KEY', value: 'sk-any', type: 'Credential', default_fields: [] }
    await post('/api/v1/variables/', JSON.stringify(variable))
    const made = await post('/api/v1/flows/', streaming(model.url))
    const { id } = (await made.json()) as { id: string }
    const chat = `/api/ai/v1/chat/${id}`
    const parts = [{ type: 'text', text: 'count' }]
    const messages = [{ id: 'u1', role: 'user', parts }]
    const answer = await post(chat, JSON.stringify({ id: 'chat-1', messages }))
    const turn = answer.headers.get('x-chat-turn') ?? ''
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let seen = ''
    while (!/w7\b/.test(seen)) {
      const { done = true, value = '' } = (await reader?.read()) ?? {}
      if (done) throw new Error(`The answer ended: ${seen}`)
      seen += value
    }
    const logged = async (): Promise<string> => {
      const events = await fetch(
        `${server.url}/api/v1/build/${turn}/events?event_delivery=polling`,
        {
          headers,
        },
      )
      return await events.text()
    }
    await expect.poll(logged, { timeout: 20_000 }).toContain('w7 ')
    await server.end('SIGKILL')
    await reader?.cancel().catch(() => undefined)
    server = await startServer(settings)
    const resumed = async (): Promise<string> =>
      await (await fetch(`${server.url}${chat}/chat-1/stream`, { headers })).text()
    const stream = await resumed()
    expect(stream).toContain('data: [DONE]')
    const log = await fetch(`${server.url}/api/v1/build/${turn}/events?event_delivery=streaming`, {
      headers,
    })
    const events = (await log.text()).split('\n\n').filter((line) => line !== '')
    const kinds = events.map((line) => (JSON.parse(line) as { event: string }).event)
    expect(kinds.filter((kind) => kind === 'remove_message')).toHaveLength(1)
    expect(kinds.lastIndexOf('token')).toBeGreaterThan(kinds.indexOf('remove_message'))
    const history = await fetch(`${server.url}${chat}/chat-1`, { headers })
    expect(JSON.stringify(await history.json())).toContain(`"text":"${WORDS.join('')}"`)
    return held(stream)
  } finally {
    model.close()
    await server.end('SIGKILL')
  }
}

describe('a chat whose server is killed between two tokens', () => {
  test(
    'DO-16, DO-19: SQLite: the page that resumes holds every word once',
    { timeout: 240_000 },
    async () => {
      const text = await inFolder((folder) => crashAndResume({ SERVICE_CONFIG_DIR: folder }))
      expect(text).toBe(WORDS.join(''))
    },
  )

  test(
    'DO-16, DO-19: PostgreSQL: the page that resumes holds every word once',
    { ...needs('postgres'), timeout: 240_000 },
    async () => {
      const database = await postgresDatabase()
      try {
        const settings = { SERVICE_DATABASE_URL: database.address }
        const text = await inFolder((folder) =>
          crashAndResume({ SERVICE_CONFIG_DIR: folder, ...settings }),
        )
        expect(text).toBe(WORDS.join(''))
      } finally {
        await database.close()
      }
    },
  )
})
