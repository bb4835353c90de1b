import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { builtinComponents, url as pages } from '@x/flow-components'
import type { Component } from '@x/flow-engine'
import { createNode } from '@x/flow-engine'
import type { Embedder } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import type { ComponentServices } from '@x/flow-engine'
import { AddressBlockedError } from '@x/flow-engine/node'
import { modelAddress } from '../../../flow-engine/src/outgoing/model-address.ts'
import { createGuardedFetch as createPortableFetch } from '../../../flow-engine/src/outgoing/guarded-fetch.ts'
import { createGuardedFetch } from '@x/flow-engine/node'
import { outgoingFetch } from '@x/flow-engine/internal'
import type { Tool } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { startCanary, type Canary } from '../../../flow-engine/test/abuse/canary.ts'

let canary: Canary
beforeAll(async () => {
  canary = await startCanary()
})
afterAll(() => canary.close())
afterEach(() => {
  canary.forget()
  vi.unstubAllGlobals()
})

/** Values that lead every field that can hold an address to a canary. */
function attack(component: Component, own: Canary): Record<string, unknown> {
  const address = `${own.url}/v1`
  return Object.fromEntries(
    Object.entries(component.inputs).map(([name, { fieldKind, options }]) => {
      if (name === 'urls') return [name, [address]]
      if (/url|base|host|address|endpoint|link/i.test(name)) return [name, address]
      if (name === 'model_name') return [name, 'm']
      if (fieldKind === 'secret') return [name, 'sk-of-the-user']
      if (fieldKind === 'mcp') return [name, { name: 'x', config: { url: address } }]
      if (/^(input_value|search_query|query|question)$/.test(name)) return [name, `see ${address}`]
      return [name, options.default ?? undefined]
    }),
  )
}

/** Builds every output, every tool and every refresh, and uses the models that come out. */
async function exercise(
  component: Component,
  services: ComponentServices,
  own: Canary,
): Promise<void> {
  const timeout = AbortSignal.timeout(3_000)
  const providers = ['OpenAI', 'Anthropic', 'Ollama', 'Google', 'IBM watsonx.ai']
  const chosen = Object.keys(component.inputs).find((name) => /provider|agent_llm/.test(name))
  for (const provider of chosen === undefined ? [''] : providers) {
    const inputs = {
      ...attack(component, own),
      ...(chosen === undefined ? {} : { [chosen]: provider }),
    }
    const outputs = [...Object.keys(component.outputs), 'component_as_tool']
    for (const output of outputs) {
      await testComponent(component, { inputs, output, services, signal: timeout })
        .then(({ value }) => use(value, timeout, own))
        .catch(() => undefined)
    }
    const node = createNode(component, inputs)
    for (const [field, value] of Object.entries(inputs)) {
      await refreshNode(component, node, { field, value }, { services, signal: timeout }).catch(
        () => undefined,
      )
    }
  }
}

async function use(value: unknown, signal: AbortSignal, own: Canary): Promise<void> {
  if (Array.isArray(value)) {
    for (const tool of value as Tool[]) {
      if (typeof tool.call !== 'function') continue
      const args = { input_value: own.url, urls: [own.url], url_input: own.url }
      await tool.call(args, { signal }).catch(() => undefined)
    }
  } else if (typeof value === 'object' && value !== null && 'stream' in value) {
    const model = value as { stream(request: object): AsyncIterable<unknown> }
    const messages = [{ role: 'user', content: 'hi' }]
    for await (const chunk of model.stream({ messages, signal })) void chunk
  } else if (typeof value === 'object' && value !== null && 'embed' in value) {
    await (value as Embedder).embed(['hi'], signal)
  }
}

/** Asks nobody outside this machine. */
function loopbackOnly(send: typeof fetch, own: Canary): typeof fetch {
  return (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    return url.startsWith(own.url) ? send(input, init) : Promise.reject(new AddressBlockedError(''))
  }
}

/** Attacks all components side by side, each with a canary of its own: some wait for their time limit. */
async function eachWithCanary(
  components: readonly Component[],
  strike: (component: Component, own: Canary) => Promise<void>,
): Promise<void> {
  await Promise.all(
    components.map(async (component) => {
      const own = await startCanary()
      try {
        await strike(component, own)
      } finally {
        await own.close()
      }
    }),
  )
}

/** Components that go to an address of a flow: the ones this attack must wake. */
const REACHING = [
  'APIRequest',
  'Agent',
  'AnthropicModel',
  'EmbeddingModel',
  'LanguageModelComponent',
  'MCPTools',
  'OpenAIEmbeddings',
  'OpenAIModel',
  'URLComponent',
]

describe('AB-40, AB-43: built-in components and the address guard', () => {
  const components = [...builtinComponents]

  test(
    'no component reaches a loopback address with the default settings',
    { tags: ['long'] },
    async () => {
      const around = vi.fn<typeof fetch>(() => Promise.reject(new TypeError('around the guard')))
      vi.stubGlobal('fetch', around)
      const reached: string[] = []
      await eachWithCanary(components, async (component, own) => {
        await exercise(component, { fetch: loopbackOnly(outgoingFetch({}), own) }, own)
        if (own.connections() > 0) reached.push(component.type)
      })
      expect(reached).toEqual([])
      expect(around.mock.calls).toEqual([])
    },
  )

  test('the same attack reaches the server when the address is allowed', async () => {
    const allowed = createGuardedFetch({ allow: ['127.0.0.1'] })
    const reached: string[] = []
    // Only these, so that a busy machine leaves each of them enough of its time limit.
    const reaching = components.filter(({ type }) => REACHING.includes(type))
    await eachWithCanary(reaching, async (component, own) => {
      await exercise(component, { fetch: loopbackOnly(allowed, own) }, own)
      if (own.connections() > 0 || own.requests.length > 0) reached.push(component.type)
    })
    expect(reached.toSorted()).toEqual(REACHING)
  })
})

test('AB-43: without a host fetch, private addresses are blocked unless the run allows them', async () => {
  const inputs = { urls: [canary.url], check_response_status: true }
  const options = { inputs, output: 'page_results' }
  await expect(testComponent(pages, options)).rejects.toThrow()
  expect(canary.connections()).toBe(0)
  await expect(testComponent(pages, { ...options, allowPrivate: true })).rejects.toThrow()
  expect(canary.requests).toHaveLength(1)
})

describe('AB-43: runtimes without sockets', () => {
  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '[::1]',
    'localhost',
    'a.localhost.',
    '2130706433',
    '[::ffff:7f00:1]',
  ])('an address written as %s is refused without a request', async (host) => {
    const asked = vi.fn<typeof fetch>()
    vi.stubGlobal('fetch', asked)
    await expect(createPortableFetch()(`http://${host}/x`)).rejects.toMatchObject({
      code: 'address_blocked',
    })
    expect(asked).not.toHaveBeenCalled()
  })

  test('a redirect to a private address is not followed', async () => {
    const asked = vi.fn<typeof fetch>(async () =>
      Response.redirect('http://169.254.169.254/meta', 302),
    )
    vi.stubGlobal('fetch', asked)
    await expect(createPortableFetch()('http://a.test/')).rejects.toThrow(
      'Address 169.254.169.254 is not allowed (SERVICE_SSRF_ALLOW)',
    )
    expect(asked).toHaveBeenCalledTimes(1)
  })
})

describe('AB-40: trusted addresses', () => {
  const environment = { OPENAI_BASE_URL: 'http://10.0.0.5/v1', OLLAMA_BASE_URL: 'http://10.0.0.6' }

  test('an address from the environment is trusted, even when the flow holds the default or the same address', () => {
    const trusted = { url: 'http://10.0.0.5/v1', trusted: true, isDefault: false }
    expect(modelAddress('OpenAI', undefined, environment)).toEqual(trusted)
    expect(modelAddress('OpenAI', 'https://api.openai.com/v1/', environment)).toEqual(trusted)
    expect(modelAddress('OpenAI', 'http://10.0.0.5/v1', environment)).toEqual(trusted)
    expect(modelAddress('Ollama', 'http://localhost:11434', environment)).toEqual({
      url: 'http://10.0.0.6',
      trusted: true,
      isDefault: false,
    })
  })

  test.each([
    ['OpenAI', 'http://10.0.0.5/admin'],
    ['OpenAI', 'http://10.0.0.5:81/v1'],
    ['OpenAI', 'http://10.0.0.6'],
    ['Anthropic', 'http://10.0.0.5/v1'],
    ['Ollama', 'http://10.0.0.5/v1'],
  ])('an address of %s that differs from the environment is not trusted: %s', (provider, url) => {
    expect(modelAddress(provider, url, environment)).toEqual({
      url,
      trusted: false,
      isDefault: false,
    })
  })
})

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '0',
  '127.1',
  '2130706433',
  '0x7f.1',
  'localhost',
  '[::1]',
  '[::]',
  '[::ffff:0:0]',
  '[::ffff:0.0.0.0]',
  '[::ffff:127.0.0.1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
])('AB-40: the local machine cannot be reached as %s', async (host) => {
  const answer = createGuardedFetch()(`http://${host}:${canary.port}/`)
  await expect(answer).rejects.toMatchObject({ code: 'address_blocked' })
  expect(canary.connections()).toBe(0)
})

test('AB-40: the canary counts a direct connection', async () => {
  await new Promise<void>((resolve) => {
    connect(canary.port, '127.0.0.1', function (this: { end(): void }) {
      this.end()
      resolve()
    })
  })
  await expect.poll(() => canary.connections()).toBe(1)
})
