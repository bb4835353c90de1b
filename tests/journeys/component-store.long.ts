import { startFakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, expect, test } from 'vitest'
import { messageOf, runFlow } from './flow-calls.ts'
import { createFlow, graphOf } from './flows.ts'
import { newPerson, type Person } from './people.ts'
import { withService, type Answer, type Service } from './service.ts'

const SECRET = 'sk-of-the-author'

const model = await startFakeOpenAi()
afterAll(() => model.close())

const agentGraph = (): unknown =>
  graphOf((flow) => {
    const agent = flow.add('Agent', { values: { api_key: SECRET } })
    flow.connect(`${flow.add('ChatInput')}.message`, `${agent}.input_value`)
    flow.connect(`${agent}.response`, `${flow.add('ChatOutput')}.input_value`)
  })

const promptNode = (): unknown => graphOf((flow) => void flow.add('Prompt Template'))

interface Entry {
  readonly id: string
  readonly name: string
  readonly liked_by_count: number
  readonly downloads_count: number
  readonly liked_by_user: boolean | null
  readonly user_created: { readonly username?: string }
  readonly tags: readonly { readonly name: string }[]
  readonly metadata: { readonly total?: number }
}

test('the component store: a flow is shared, found, viewed, downloaded, run, liked, hidden, and deleted with its author', async () => {
  await withService({ OPENAI_BASE_URL: model.url }, async (service) => {
    const [ana, bea] = await Promise.all([newPerson(service, 'ana'), newPerson(service, 'bea')])
    const asAna = storeOf(service, ana)
    const asBea = storeOf(service, bea)

    // Sharing begins with a store key; whoever has none is told so, and still looks around.
    const flow = {
      name: 'Grüße, an agent',
      description: 'Answers “politely”.',
      tags: ['Chat', 'Café'],
    }
    const payload = { ...flow, data: agentGraph(), is_component: false, private: false }
    const refused = await asAna('POST', '/components/', payload)
    expect([refused.status, refused.json()]).toEqual([
      400,
      { detail: 'You must have a store API key set.' },
    ])
    for (const { key } of [ana, bea]) {
      const body = { api_key: 'a key of the store' }
      await service.call('POST', '/api/v1/api_key/store', { key, body })
    }
    const { id } = (await asAna('POST', '/components/', payload)).json() as { id: string }
    const part = { name: 'Prompt', description: null, tags: ['Parts'], is_component: true }
    await asAna('POST', '/components/', { ...part, data: promptNode(), private: false })
    await asAna('POST', '/components/', { ...part, name: 'Draft', data: promptNode() })
    const again = await asAna('POST', '/components/', payload)
    expect(again.status).toBe(400)
    expect(again.text).toContain('already have a component with this name')

    // Another user lists, narrows and sorts.
    const names = async (query: string): Promise<string[]> =>
      (await list(asBea, query)).map(({ name }) => name)
    expect((await names('')).toSorted()).toEqual(['Grüße, an agent', 'Prompt'])
    expect(await names(`?search=${encodeURIComponent('GRÜSSE')}`)).toEqual([])
    expect(await names(`?search=${encodeURIComponent('grüße')}`)).toEqual([flow.name])
    expect(await names(`?tags=${encodeURIComponent('Café')}`)).toEqual([flow.name])
    expect(await names('?is_component=true')).toEqual(['Prompt'])
    expect(await names('?sort=-name')).toEqual(['Prompt', flow.name])
    expect(await names('?search=ana&page=2&limit=1&sort=name')).toEqual(['Prompt'])
    expect(await names('?filter_by_user=true')).toEqual([])
    expect((await list(asAna, '?filter_by_user=true')).map(({ name }) => name).toSorted()).toEqual([
      'Draft',
      flow.name,
      'Prompt',
    ])
    const tags = (await asBea('GET', '/tags')).json() as { name: string }[]
    expect(tags.map(({ name }) => name)).toEqual(['Café', 'Chat', 'Parts'])

    // Viewed, liked, and taken along: no secret of the author comes with it.
    const liked = await asBea('POST', `/users/likes/${id}`)
    expect(liked.json()).toEqual({ likes_count: 1, liked_by_user: true })
    const download = await asBea('GET', `/components/${id}`)
    expect(download.text).not.toContain(SECRET)
    const taken = download.json() as { name: string; description: string; data: unknown }
    const [seen] = await list(asBea, `?component_id=${id}`)
    expect(seen).toMatchObject({
      liked_by_count: 1,
      downloads_count: 1,
      liked_by_user: true,
      user_created: { username: 'ana' },
      metadata: { total: 3 },
    })
    expect(seen?.tags.map(({ name }) => name)).toEqual(['Café', 'Chat'])
    const { name, description, data } = taken
    const copy = await createFlow(service, { name, description, data }, bea.key)
    const variable = { name: 'OPENAI_API_KEY', value: 'sk-of-bea', type: 'Credential' }
    await service.call('POST', '/api/v1/variables/', {
      key: bea.key,
      body: { ...variable, default_fields: [] },
    })
    const own = { Agent: { api_key: 'OPENAI_API_KEY' } }
    const keyless = await runFlow(service, copy.id, 'hello', { key: bea.key })
    expect(keyless.status).toBeGreaterThanOrEqual(400)
    model.reply('Delighted')
    const ran = await runFlow(service, copy.id, 'hello', { key: bea.key, tweaks: own })
    expect(messageOf(ran)).toBe('Delighted')
    // The author's own download is whole.
    expect((await asAna('GET', `/components/${id}`)).text).toContain(SECRET)

    // The author's own operations, and the state after a restart.
    const hidden = { ...payload, private: true }
    expect((await asBea('PATCH', `/components/${id}`, hidden)).status).toBe(403)
    await service.restart({ signal: 'SIGKILL' })
    expect((await asAna('PATCH', `/components/${id}`, hidden)).status).toBe(201)
    expect(await names('')).toEqual(['Prompt'])
    expect((await asBea('GET', `/components/${id}`)).status).toBe(400)
    expect((await asBea('GET', '/users/likes')).json()).toEqual([])
    await asAna('PATCH', `/components/${id}`, payload)
    expect(await names('?liked=true')).toEqual([flow.name])
    expect((await asBea('POST', `/users/likes/${id}`)).json()).toMatchObject({ likes_count: 0 })

    // The store without an account shows nothing; with its author the component goes, the copy stays.
    const stranger = await service.call('GET', '/api/v1/store/components/', { key: null })
    expect(stranger.status).toBe(403)
    expect((await service.call('DELETE', `/api/v1/users/${ana.id}`)).status).toBe(200)
    expect(await names('')).toEqual([])
    model.reply('Still here')
    const later = await runFlow(service, copy.id, 'hello', { key: bea.key, tweaks: own })
    expect(messageOf(later)).toBe('Still here')
  })
})

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>

function storeOf(service: Service, { key }: Person): Call {
  return (method, path, body) =>
    service.call(method, `/api/v1/store${path}`, { key, ...(body === undefined ? {} : { body }) })
}

async function list(call: Call, query: string): Promise<Entry[]> {
  const answer = await call('GET', `/components/${query}`)
  expect(answer.status).toBe(200)
  return (answer.json() as { results: Entry[] }).results
}
