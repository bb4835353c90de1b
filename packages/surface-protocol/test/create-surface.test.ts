import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { bind, each, event, type JsonObject } from '@x/surface-protocol'
import { extendCatalog } from '@x/surface-protocol/catalog'
import { basicCatalogV09 } from '@x/surface-protocol'
import { createSurface, type Surface } from '@x/surface-protocol/http'

const address = 'http://localhost/s'
const post = (handler: Surface<JsonObject>['handler'], action: object, headers = {}) =>
  handler(
    new Request(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        version: 'v0.9.1',
        action: { surfaceId: 's', timestamp: '2026-01-01T00:00:00Z', context: {}, ...action },
      }),
    }),
  )

/** The messages that a viewer gets until it has as many as asked for. */
async function watch(handler: Surface<JsonObject>['handler'], count: number, version = '0.9.1') {
  const leaving = new AbortController()
  const headers = { accept: 'application/jsonl', 'a2ui-version': version }
  const answer = await handler(new Request(address, { headers, signal: leaving.signal }))
  expect(answer.status).toBe(200)
  const messages: JsonObject[] = []
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += new TextDecoder().decode(chunk)
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    messages.push(...lines.filter((line) => line !== '').map((line) => JSON.parse(line)))
    if (messages.length >= count) break
  }
  leaving.abort()
  return messages
}

const form = (options: object = {}) =>
  createSurface('s', {
    authorize: 'anyone',
    data: { mail: '', seats: [{ name: 'A1' }], sent: 0 },
    view: (ui) =>
      ui.Column({
        children: [
          ui.TextField({ label: 'Mail', value: bind('/mail') }),
          ui.List({ children: each('/seats', ui.Text({ text: bind('name') })) }),
          ui
            .Button({
              child: ui.Text({ text: 'Send' }),
              action: event('send', { mail: bind('/mail') }),
            })
            .id('go'),
        ],
      }),
    actions: {
      async send({ context, data, set, remove }) {
        await set('/sent', data.sent + 1)
        if (context.mail === '') throw new Error('secret')
        await remove('/mail')
      },
    },
    ...options,
  })

describe('SX-53: a surface in one call', () => {
  test('shows its view to viewers of each version and runs its actions', async () => {
    const surface = form()
    const [created, ...rest] = await watch(surface.handler, 3)
    expect(created).toMatchObject({ version: 'v0.9.1', createSurface: { surfaceId: 's' } })
    expect(rest).toHaveLength(2)
    const older = await watch(surface.handler, 3, '0.8')
    expect(older.flatMap(Object.keys)).toContain('surfaceUpdate')
    const sent = { name: 'send', sourceComponentId: 'go', context: { mail: 'a@b.c' } }
    expect((await post(surface.handler, sent)).status).toBe(202)
    expect(surface.data).toEqual({ seats: [{ name: 'A1' }], sent: 1 })
    await surface.set('/seats', [{ name: 'B2' }])
    await surface.render((ui) => ui.Text({ text: bind('/mail') }))
    expect(surface.store.tree('s')?.type).toBe('Text')
    expect(surface.data.seats).toEqual([{ name: 'B2' }])
    // @ts-expect-error -- the data have no such key
    await surface.set('/mial', 'x')
    surface.close()
    await expect(surface.set('/mail', 'x')).rejects.toMatchObject({ code: 'channel_closed' })
  })

  test('refuses what was not shown, with diagnostics, and tells nothing of failures', async () => {
    const failed = vi.fn<(error: unknown) => void>()
    const surface = form({ onError: failed })
    const answers = [
      { name: 'send', sourceComponentId: 'gone', context: { mail: 'x' } },
      { name: 'other', sourceComponentId: 'go', context: { mail: 'x' } },
      { name: 'send', sourceComponentId: 'go', context: { mail: 'x', admin: true } },
      { name: 'send', sourceComponentId: 'go', context: { mail: 'x' }, surfaceId: 'another' },
    ].map((action) => post(surface.handler, action))
    const codes = ['component_not_found', 'action_not_declared', 'context_mismatch']
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      expect(answer.status).toBe(422)
      const code = codes[index] ?? 'surface_not_found'
      expect(await answer.json()).toMatchObject({ error: { code, diagnostics: [{ code }] } })
    }
    expect(surface.data.sent).toBe(0)
    const sent = { name: 'send', sourceComponentId: 'go', context: { mail: '' } }
    const answer = await post(surface.handler, sent)
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('secret')
    expect(failed.mock.calls[0]?.[0]).toMatchObject({ message: 'secret' })
    const without = form({ actions: { other: () => undefined } })
    const undeclared = await post(without.handler, { ...sent, context: { mail: 'x' } })
    expect(undeclared.status).toBe(422)
    expect(await undeclared.json()).toMatchObject({ error: { code: 'action_not_declared' } })
  })

  test('asks who it is, for streams and for actions', async () => {
    const seen: unknown[] = []
    const surface = form({
      authorize: (request: Request) => {
        const name = request.headers.get('x-user')
        return name === 'no' ? new Response(null, { status: 403 }) : name && { name }
      },
      actions: { send: ({ user }: { user: unknown }) => void seen.push(user) },
    })
    const sent = { name: 'send', sourceComponentId: 'go', context: { mail: 'x' } }
    expect((await surface.handler(new Request(address))).status).toBe(401)
    expect((await post(surface.handler, sent)).status).toBe(401)
    expect((await post(surface.handler, sent, { 'x-user': 'no' })).status).toBe(403)
    expect((await post(surface.handler, sent, { 'x-user': 'ada' })).status).toBe(202)
    expect(seen).toEqual([{ name: 'ada' }])
  })

  test('runs actions one after another, of which 1,000 may wait', async () => {
    const steps: string[] = []
    let open = (): void => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    const surface = form({
      actions: {
        async send({ context }: { context: JsonObject }) {
          steps.push(`begin ${JSON.stringify(context.mail)}`)
          await gate
          steps.push('end')
        },
      },
    })
    const sent = { name: 'send', sourceComponentId: 'go' }
    const answers = Array.from({ length: 1001 }, (_, i) =>
      post(surface.handler, { ...sent, context: { mail: `${i}` } }),
    )
    const refused = await Promise.race(answers)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    open()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(1000)
    expect(steps.slice(0, 4)).toEqual(['begin "0"', 'end', 'begin "1"', 'end'])
  })

  test('takes own catalogs and names the option that is wrong', async () => {
    const catalog = extendCatalog(basicCatalogV09, {
      catalogId: 'https://shop.example/catalog',
      components: { Rating: z.object({ stars: z.number() }) },
    })
    const surface = createSurface('s', {
      authorize: 'anyone',
      catalog,
      view: (ui) => ui.Rating({ stars: 4 }),
    })
    const [created] = await watch(surface.handler, 2)
    expect(created).toMatchObject({ createSurface: { catalogId: 'https://shop.example/catalog' } })
    expect(() => form({ authorize: undefined })).toThrow(/option "authorize" must be/)
    expect(() => form({ viev: 1 })).toThrow('unknown option "viev". Did you mean "view"?')
    expect(() => form({ view: () => 1 })).toThrow(TypeError)
    const given = { mail: 'a', seats: [], sent: 1 }
    const copied = form({ data: given })
    given.mail = 'changed'
    expect(copied.data.mail).toBe('a')
  })
})
