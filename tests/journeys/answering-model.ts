import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A model on loopback that answers whatever it is asked, and a page to read. */
export interface AnsweringModel {
  /** Base URL of the OpenAI interface. */
  readonly url: string
  /** An address with a page of text. */
  readonly page: string
  /** Bodies of the questions as JSON texts, in order; embeddings are left out. */
  readonly asked: string[]
  close(): void
}

/** The answer if no tool has to be called and no schema is given. */
export const ANSWER = 'So says the model.'
export const PAGE_TEXT = 'The lighthouse was lit in 1811.'

interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

interface Question {
  readonly stream?: boolean
  readonly model?: string
  readonly messages?: readonly { readonly role: string }[]
  readonly input?: string | readonly string[]
  readonly tool_choice?: unknown
  readonly tools?: readonly { readonly function: { name: string; parameters: Schema } }[]
  readonly response_format?: { readonly json_schema?: { readonly schema?: Schema } }
}

/** Starts it on a free port of 127.0.0.1. */
export async function startAnsweringModel(): Promise<AnsweringModel> {
  const asked: string[] = []
  let origin = ''
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      if (request.method !== 'POST') return page(response)
      const question = JSON.parse(body) as Question
      if (request.url?.endsWith('/embeddings') === true) return embed(response, question)
      asked.push(body)
      answer(response, question, origin)
    })().catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/v1`,
    page: `${origin}/page`,
    asked,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function page(response: ServerResponse): void {
  response.setHeader('content-type', 'text/html')
  response.end(`<html><body><h1>A page</h1><p>${PAGE_TEXT}</p></body></html>`)
}

function embed(response: ServerResponse, { input = [], model }: Question): void {
  const texts = typeof input === 'string' ? [input] : input
  const data = texts.map((each, index) => ({
    object: 'embedding',
    index,
    embedding: Array.from({ length: 8 }, (_, n) => (each.codePointAt(n) ?? 1) / 100),
  }))
  send(response, { object: 'list', model, data, usage: { prompt_tokens: 1, total_tokens: 1 } })
}

function answer(response: ServerResponse, question: Question, origin: string): void {
  const message = messageOf(question, `${origin}/page`)
  const { model = 'fake' } = question
  const finish = 'tool_calls' in message ? 'tool_calls' : 'stop'
  const head = { id: 'chatcmpl-1', created: 0, model }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  if (question.stream !== true) {
    const choices = [{ index: 0, message, finish_reason: finish }]
    return send(response, { ...head, object: 'chat.completion', choices, usage })
  }
  response.setHeader('content-type', 'text/event-stream')
  for (const [delta, reason] of [
    [message, null],
    [{}, finish],
  ] as const) {
    const choices = [{ index: 0, delta, finish_reason: reason }]
    const chunk = { ...head, object: 'chat.completion.chunk', choices }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  response.end('data: [DONE]\n\n')
}

/**
 * A call where one is demanded, one of the first tool that reads pages, an object of the schema where one
 * is given, else the answer.
 */
function messageOf(question: Question, address: string): object {
  const { tools = [], messages = [], tool_choice: choice, response_format: format } = question
  const wanted = JSON.stringify(choice ?? null)
  const tool = tools.find(({ function: { name } }) => wanted.includes(JSON.stringify(name)))
  const forced = tool ?? (choice === 'required' || choice === 'any' ? tools[0] : undefined)
  if (forced !== undefined) {
    const { name, parameters } = forced.function
    return callOf(name, instanceOf(parameters, parameters))
  }
  const reader = tools.find(
    ({ function: { parameters } }) => 'urls' in (parameters.properties ?? {}),
  )
  if (reader !== undefined && messages.every(({ role }) => role !== 'tool'))
    return callOf(reader.function.name, { urls: [address] })
  const schema = format?.json_schema?.schema
  const content = schema === undefined ? ANSWER : JSON.stringify(instanceOf(schema, schema))
  return { role: 'assistant', content }
}

function callOf(name: string, args: unknown): object {
  const call = { name, arguments: JSON.stringify(args) }
  const calls = [{ index: 0, id: 'call_1', type: 'function', function: call }]
  return { role: 'assistant', content: null, tool_calls: calls }
}

/** Something that fits a schema. */
function instanceOf(schema: Schema, root: Schema): unknown {
  const named = root.$defs?.[schema.$ref?.split('/').at(-1) ?? '']
  if (named !== undefined) return instanceOf(named, root)
  const [first] = schema.anyOf ?? []
  if (first !== undefined) return instanceOf(first, root)
  if (schema.enum !== undefined) return schema.enum[0]
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [
          name,
          instanceOf(inner, root),
        ]),
      )
    case 'array':
      return [instanceOf(schema.items ?? {}, root)]
    case 'integer':
    case 'number':
      return 7
    case 'boolean':
      return true
    default:
      return ANSWER
  }
}

function send(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}
