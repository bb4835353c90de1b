import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import {
  basicCatalogV09,
  bind,
  createSurfaceWriter,
  createUi,
  each,
  escapeMarkdown,
  event,
  validateSubmission,
  type AnyServerMessage,
} from '@x/surface-protocol'
import { boundNumber, extendCatalog } from '@x/surface-protocol/catalog'
import { createSurface } from '@x/surface-protocol/http'
import { createAgUiSurfaces, readForwardedAction } from '@x/surface-protocol/interop'
import { z } from 'zod'

// What the public clients of `npm run test:browser` show: a surface with every type, and an agent over AG-UI.

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

const surface = createSurface('all', {
  authorize: 'anyone',
  data: {
    form: { name: '', agreed: false, drink: ['tea'], size: 3, day: '2026-01-02' },
    result: { text: 'Nothing sent yet' },
    rows: [{ name: 'First row' }, { name: 'Second row' }],
  },
  view: (ui) =>
    ui.Column({
      children: [
        ui.Text({ text: 'Every type', variant: 'h2' }),
        ui.Row({
          children: [ui.Icon({ name: 'home' }), ui.Image({ url: PIXEL, description: 'A dot' })],
        }),
        ui.Card({ child: ui.Text({ text: 'Within a card' }) }),
        ui.Divider({ axis: 'horizontal' }),
        ui.List({
          children: each('/rows', ui.Text({ text: bind('name') })),
        }),
        ui.Tabs({ tabs: [{ title: 'First tab', child: ui.Text({ text: 'Within a tab' }) }] }),
        ui.Modal({
          trigger: ui.Button({ child: ui.Text({ text: 'Open' }), action: event('opened') }),
          content: ui.Text({ text: 'Within a modal' }),
        }),
        ui.Video({ url: 'https://example.com/film.mp4' }),
        ui.AudioPlayer({ url: 'https://example.com/song.mp3', description: 'A song' }),
        ui.TextField({ label: 'Your name', value: bind('/form/name') }),
        ui.CheckBox({ label: 'I agree', value: bind('/form/agreed') }),
        ui.ChoicePicker({
          label: 'A drink',
          options: [
            { label: 'Tea', value: 'tea' },
            { label: 'Coffee', value: 'coffee' },
          ],
          variant: 'mutuallyExclusive',
          value: bind('/form/drink'),
        }),
        ui.Slider({ label: 'Size', min: 0, max: 10, value: bind('/form/size') }),
        ui.DateTimeInput({ label: 'Day', value: bind('/form/day'), enableDate: true }),
        ui
          .Button({
            child: ui.Text({ text: 'Send' }),
            action: event('send', {
              name: bind('/form/name'),
              agreed: bind('/form/agreed'),
              drink: bind('/form/drink'),
            }),
          })
          .id('send-button'),
        ui.Text({ text: bind('/result/text') }),
      ],
    }),
  actions: {
    async send({ data: { form }, set }) {
      const answer = `${form.name}, ${String(form.agreed)}, ${form.drink.join('+')}`
      await set('/result/text', escapeMarkdown(answer))
    },
    opened: () => undefined,
  },
})

/** The type of the pages with a type of their own. */
const rated = extendCatalog(basicCatalogV09, {
  catalogId: 'https://example.com/rated.json',
  components: { Rating: z.object({ value: boundNumber() }) },
})
const own = createSurface('own', {
  authorize: 'anyone',
  catalog: rated,
  data: { stars: 2 },
  view: (ui) => ui.Column({ children: [ui.Rating({ value: bind('/stars') })] }),
})

const sent: AnyServerMessage[] = []
const writer = createSurfaceWriter({
  version: '0.9.1',
  catalogs: [rated],
  send: (message) => void sent.push(message),
})
const cards = createAgUiSurfaces({ store: writer.store })

/** One run of the agent: the first paints the card, a click changes it. */
async function run(input: { threadId: string; runId: string }): Promise<object[]> {
  const { threadId, runId } = input
  const action = readForwardedAction(input)
  if (action === null) {
    const ui = createUi(rated)
    const name = bind('/name')
    const root = ui.Column({
      children: [
        ui.Rating({ value: bind('/stars') }),
        ui.TextField({ label: 'Your name', value: name }),
        ui.Button({ child: ui.Text({ text: 'Greet' }), action: event('greet', { name }) }),
        ui.Text({ text: bind('/answer') }),
      ],
    })
    await writer.render('card', { root, data: { stars: 4, name: '', answer: 'Not greeted yet' } })
  } else {
    const submission = validateSubmission(writer.store, action)
    cards.received(submission)
    const { name } = submission.data as { name: string }
    const problem = submission.diagnostics[0]?.message
    await writer.update('card', '/answer', problem ?? `Hello ${escapeMarkdown(name)}`)
  }
  return [
    { type: 'RUN_STARTED', threadId, runId },
    ...cards.events(sent.splice(0), { runId }),
    { type: 'RUN_FINISHED', threadId, runId },
  ]
}

/** The streams of viewers, which `/away` cuts. */
const open = new Set<AbortController>()

/** A stream that can be cut, as a network does. */
function cuttable(response: Response): Response {
  if (response.body === null || response.status !== 200) return response
  const cut = new AbortController()
  open.add(cut)
  const { readable, writable } = new TransformStream()
  const done = response.body.pipeTo(writable, { signal: cut.signal })
  void done.catch(() => undefined).finally(() => open.delete(cut))
  return new Response(readable, response)
}

const app = new Hono()
app.get('/surface', async ({ req }) => cuttable(await surface.handler(req.raw)))
app.post('/surface', ({ req }) => surface.handler(req.raw))
app.all('/own', ({ req }) => own.handler(req.raw))
app.post('/away', async (c) => {
  for (const cut of open) cut.abort()
  await surface.set('/result/text', 'Changed while you were away')
  return c.body(null, 204)
})
app.post('/agent', async (c) => {
  const events = await run(await c.req.json())
  const body = events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
  return c.body(body, 200, { 'content-type': 'text/event-stream' })
})

serve(
  { fetch: app.fetch, port: Number(process.env['PORT'] ?? 0), hostname: '127.0.0.1' },
  ({ port }) => {
    console.log(`Listening on http://127.0.0.1:${port}`)
  },
)
