import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as core from '@a2ui/web_core/v0_9'
import * as basic from '@a2ui/web_core/v0_9/basic_catalog'
import { describe, expect, test } from 'vitest'
import {
  basicCatalogV09,
  bind,
  call,
  check,
  createSurfaceStore,
  event,
  validateMessages,
  type JsonObject,
} from '@x/surface-protocol'
import { extendCatalog, parseCatalog } from '@x/surface-protocol/catalog'
import { createSurface } from '@x/surface-protocol/http'
import { z } from 'zod'

const require = createRequire(import.meta.resolve('@a2ui/web_core/v0_9'))
/** The zod that the public client is written with. */
const clientZod = require('zod') as { readonly z: typeof z }
const clientRating = {
  name: 'Rating',
  schema: clientZod.z.object({
    label: core.CommonSchemas.DynamicString as never,
    stars: core.CommonSchemas.DynamicNumber as never,
    action: core.CommonSchemas.Action as never,
  }),
}
const catalogId = 'https://shop.example/catalog'
const parts = basic as unknown as { BASIC_COMPONENTS: object[]; BASIC_FUNCTIONS: object[] }
const clientCatalog = (id: string) =>
  new core.Catalog(
    id,
    [...parts.BASIC_COMPONENTS, clientRating] as never,
    parts.BASIC_FUNCTIONS as never,
  )

/** A public client of 0.9 that reads the stream of a handler. */
function createClient(id: string) {
  const actions: object[] = []
  const processor = new core.MessageProcessor(
    [clientCatalog(id)],
    (action) => void actions.push(action),
  )
  return { processor, actions, surface: () => processor.model.surfacesMap.get('s') }
}

async function follow(
  handler: (request: Request) => Promise<Response>,
  use: (message: never) => void,
) {
  const leaving = new AbortController()
  const headers = { accept: 'application/jsonl', 'a2ui-version': '0.9' }
  const answer = await handler(
    new Request('http://localhost/s', { headers, signal: leaving.signal }),
  )
  const reader = (answer.body ?? new ReadableStream<Uint8Array>()).getReader()
  let text = ''
  return {
    async until(isDone: () => boolean): Promise<void> {
      while (!isDone()) {
        const { value } = await reader.read()
        text += new TextDecoder().decode(value)
        const lines = text.split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) if (line !== '') use(JSON.parse(line) as never)
      }
    },
    leave: () => leaving.abort(),
  }
}

describe('the public client of 0.9, as it is published', () => {
  test('SX-1 SX-9 SX-53: shows a surface with an own type, and its click runs the action', async () => {
    const catalog = extendCatalog(basicCatalogV09, {
      catalogId,
      components: {
        Rating: z.object({ label: z.string(), stars: z.number(), action: z.any() }),
      },
    })
    const votes: unknown[] = []
    const surface = createSurface('s', {
      authorize: 'anyone',
      catalog,
      data: { stars: 2, name: 'Ada', rows: [{ n: 1 }] },
      view: (ui) => {
        const stars = bind('/stars')
        const required = check(call('required', { value: bind('/name') }), 'Name?')
        return ui.Column({
          children: [
            ui.Text({ text: call('formatNumber', { value: stars }) }),
            ui.TextField({ label: 'Name', value: bind('/name'), checks: [required] }),
            ui.Rating({ label: 'Vote', stars: 3, action: event('vote', { stars }) }).id('vote'),
          ],
        })
      },
      actions: {
        async vote({ context, set }) {
          votes.push(context.stars)
          await set('/stars', 5)
        },
      },
    })
    const { processor, actions, surface: shown } = createClient(catalogId)
    const stream = await follow(surface.handler, (message) => processor.processMessages([message]))
    await stream.until(() => shown()?.componentsModel.get('vote') !== undefined)
    expect(shown()?.componentsModel.get('vote')?.properties).toMatchObject({ label: 'Vote' })
    expect(shown()?.componentsModel.get('root')).toBeDefined()
    expect(shown()?.dataModel.get('/name')).toBe('Ada')
    shown()?.dataModel.set('/stars', 4)
    const click = { name: 'vote', context: { stars: 4 } }
    await shown()?.dispatchAction({ event: click }, 'vote')
    expect(actions).toHaveLength(1)
    const answer = await surface.handler(
      new Request('http://localhost/s', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ version: 'v0.9', action: actions[0] }),
      }),
    )
    expect(await answer.json()).toEqual({ accepted: 1 })
    expect(votes).toEqual([4])
    await stream.until(() => shown()?.dataModel.get('/stars') === 5)
    stream.leave()
  })
})

describe('SX-9a: inline catalogs that the public client writes', () => {
  const document = (id: string) => {
    const processor = new core.MessageProcessor([clientCatalog(id)])
    const capabilities = processor.getClientCapabilities({ includeInlineCatalogs: true })
    return (capabilities as never as Record<string, { inlineCatalogs: JsonObject[] }>)['v0.9']
      ?.inlineCatalogs[0]
  }

  test('judge texts, calls and edges as the built-in catalog does', () => {
    const catalog = parseCatalog(document(catalogId), { version: '0.9.1' })
    const store = createSurfaceStore({ version: '0.9.1', catalogs: [catalog] })
    store.apply({ version: 'v0.9.1', createSurface: { surfaceId: 's', catalogId } })
    const apply = (...components: object[]) =>
      store.apply({ version: 'v0.9.1', updateComponents: { surfaceId: 's', components } })
    const root = { id: 'root', component: 'Card', child: 'a' }
    const sum = { call: 'add', args: { a: { path: '/n' }, b: 1 } }
    const text = (value: unknown) => ({ id: 'a', component: 'Text', text: value })
    expect(apply(root, text({ path: '/t' })).applied).toBe(true)
    expect(store.tree('s')?.properties['child']).toMatchObject({ componentId: 'a' })
    for (const right of ['t', { call: 'formatNumber', args: { value: sum } }]) {
      expect(apply(text(right)).diagnostics).toEqual([])
    }
    for (const wrong of [5, { call: 'add', args: { a: 'x', b: 1 } }, { call: 'nope', args: {} }]) {
      expect(apply(text(wrong)).applied).toBe(false)
    }
    const rating = { id: 'r', component: 'Rating', label: 'L', action: { event: { name: 'x' } } }
    expect(apply({ ...rating, stars: sum }).applied).toBe(true)
    expect(apply({ ...rating, stars: '5' }).applied).toBe(false)
  })

  const file = new URL('../../../../shared/reference/a2ui/samples/v0_9_1.json', import.meta.url)
  test.runIf(existsSync(file))('accept the public samples', () => {
    const catalog = parseCatalog(document(basicCatalogV09.catalogId), { version: '0.9.1' })
    const samples = JSON.parse(readFileSync(file, 'utf8')) as { messages: object[] }[]
    const errors = (catalogs: (typeof catalog)[]) =>
      samples.map(({ messages }) =>
        validateMessages(messages, { version: '0.9.1', catalogs }).filter(
          ({ severity }) => severity === 'error',
        ),
      )
    expect(errors([catalog])).toEqual(errors([basicCatalogV09]))
  })
})
