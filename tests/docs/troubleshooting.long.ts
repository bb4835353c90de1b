import { readFile } from 'node:fs/promises'
import { builtinComponents } from '@x/flow-components'
import { flowBuilder } from '@x/flow-engine/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type Answer, type SharedService } from '../journeys/service.ts'

const GUIDE = new URL('../../docs/guides/troubleshooting.md', import.meta.url)
const SCIM_TOKEN = 'a-token-for-troubles'

/** Tells which message of the page an answer has; dots of the page stand for anything. */
async function found(answer: Answer): Promise<string | undefined> {
  const text = await readFile(GUIDE, 'utf8')
  const quoted = [...text.matchAll(/`([^`\n]{8,})`/g)].map(([, message = '']) => message)
  const plain = answer.text.replaceAll('\\"', '"')
  return quoted.find((message) => patternOf(message).test(plain))
}

const patternOf = (message: string): RegExp =>
  new RegExp(
    message
      .split('...')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('.+'),
  )

describe('docs/guides/troubleshooting.md', () => {
  let shared: SharedService
  const call: SharedService['service']['call'] = (...request) => shared.service.call(...request)

  beforeAll(async () => {
    shared = await startService({
      SCIM_ENABLED: 'true',
      SCIM_TOKEN,
      SERVICE_ALLOWED_HOSTS: 'flows.example',
    })
  })
  afterAll(() => shared.end())

  /** Runs a flow of one component between chat input and output. */
  async function runWith(type: string, values: object, ends: readonly [string, string]) {
    const flow = flowBuilder('Flow', { components: builtinComponents })
    flow.add('ChatInput', { id: 'in' })
    flow.add(type, { id: 'node', values: { ...values } })
    flow.add('ChatOutput', { id: 'out' })
    flow.connect('in.message', `node.${ends[0]}`)
    flow.connect(`node.${ends[1]}`, 'out.input_value')
    const body = { name: `with ${type} ${JSON.stringify(values)}`, data: flow.toJSON()['data'] }
    const { id } = (await call('POST', '/api/v1/flows/', { body })).json() as { id: string }
    return call('POST', `/api/v1/run/${id}`, { body: { input_value: 'hello' } })
  }

  const scim = (path: string, token: string, body?: object): Promise<Answer> =>
    call(body === undefined ? 'GET' : 'POST', `/api/v1/scim/v2${path}`, {
      key: null,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  const troubles: readonly (readonly [string, () => Promise<Answer>, number, string])[] = [
    ['no key', () => call('POST', '/api/v1/run/echo', { key: null, body: {} }), 403, 'API key'],
    [
      'a wrong key',
      () => call('POST', '/api/v1/run/echo', { key: 'sk-x', body: {} }),
      403,
      'Invalid',
    ],
    ['a flow that is not there', () => call('POST', '/api/v1/run/none', { body: {} }), 404, 'Flow'],
    ['a form as body', () => call('POST', '/api/v1/run/echo', { body: 'a=b' }), 422, 'dictionary'],
    [
      'half a body',
      () =>
        call('POST', '/api/v1/run/echo', {
          body: '{',
          headers: { 'content-type': 'application/json' },
        }),
      422,
      'JSON decode error',
    ],
    [
      'a model without a key',
      () => runWith('LanguageModelComponent', {}, ['input_value', 'text_output']),
      500,
      'API key is required',
    ],
    [
      'a private address',
      () =>
        runWith(
          'LanguageModelComponent',
          { provider: 'Ollama', model_name: 'm', ollama_base_url: 'http://10.0.0.1:11434' },
          ['input_value', 'text_output'],
        ),
      500,
      'SERVICE_SSRF_ALLOW',
    ],
    ['an unknown component', () => runWith('Acme', {}, ['text', 'text']), 400, 'Unknown component'],
    ['a wrong token of SCIM', () => scim('/Users', 'wrong'), 401, 'bearer token'],
    [
      'a userName that is no address',
      () => scim('/Users', SCIM_TOKEN, { userName: 'ada' }),
      400,
      'userName',
    ],
  ]

  test.each(troubles)('%s', async (_name, provoke, status, word) => {
    const answer = await provoke()
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(word)])
    expect(await found(answer)).toContain(word)
  })
})
