import express from 'express'
import OpenAI, { APIError } from 'openai'
import { page } from './page.ts'

const { FLOW_URL, FLOW_API_KEY, FLOW_MODEL = 'support', PORT = '3000' } = process.env
const client = new OpenAI({
  baseURL: FLOW_URL ?? 'http://127.0.0.1:7860/api/openai/v1',
  apiKey: FLOW_API_KEY ?? 'no key',
})

const app = express()
app.get('/', (_request, response) => void response.type('html').send(page))

/** Responds with JSON lines: chunks of text, then the id with which the conversation continues. */
app.post('/chat', express.json({ limit: '100kb' }), async (request, response) => {
  const { text, previous } = request.body as { text?: unknown; previous?: unknown }
  if (typeof text !== 'string' || text === '') {
    response.status(400).json({ error: 'text is required' })
    return
  }
  const left = new AbortController()
  response.on('close', () => left.abort())
  const line = (value: object): void => void response.write(`${JSON.stringify(value)}\n`)
  try {
    const stream = await client.responses.create(
      {
        model: FLOW_MODEL,
        input: text,
        stream: true,
        ...(typeof previous === 'string' ? { previous_response_id: previous } : {}),
      },
      { signal: left.signal },
    )
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') line({ delta: event.delta })
      if (event.type === 'response.completed') line({ id: event.response.id })
      if (event.type === 'response.failed') line({ error: event.response.error?.message })
    }
  } catch (error) {
    if (!left.signal.aborted) line({ error: error instanceof APIError ? error.message : 'failed' })
  }
  response.end()
})

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address()
  console.log(`Listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`)
})
