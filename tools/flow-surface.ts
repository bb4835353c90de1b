import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { builtinComponents } from '@x/flow-components'
import { createRegistry, runFlow } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { honoHandler } from '@x/http-adapters/hono'
import { bind, createSurfaceWriter, ui } from '@x/surface-protocol'
import { createSurfaceChannel, createSurfaceHandler } from '@x/surface-protocol/http'
import { bundleScript } from 'surface-viewer/bundle'

// A page for the test in a browser: the button of its surface runs a flow with what was typed.

const components = createRegistry(builtinComponents)
const flow = flowBuilder('heard', { components: builtinComponents })
flow.add('ChatInput')
flow.add('Prompt Template', {
  id: 'Prompt-1',
  values: { template: 'The flow heard: {text}', text: '' },
})
flow.add('ChatOutput')
flow.connect('ChatInput-00001.message', 'Prompt-1.text')
flow.connect('Prompt-1.prompt', 'ChatOutput-00001.input_value')

const writer = createSurfaceWriter({
  send: (message) => channel.send(message),
  selfContained: true,
})
const channel = createSurfaceChannel({ store: writer.store })
await writer.render('ask', {
  root: ui.Column({
    children: [
      ui.TextField({ label: 'Question', text: bind('/ask/question') }),
      ui
        .Button({
          child: ui.Text({ text: 'Ask' }),
          action: { name: 'ask', context: { question: bind('/ask/question') } },
        })
        .id('ask-button'),
      ui.Text({ text: bind('/ask/answer') }),
    ],
  }),
  data: { ask: { question: '', answer: 'Nobody has asked yet' } },
})

const surface = createSurfaceHandler({
  open: () => channel,
  async onClientMessage(message) {
    if (!('userAction' in message) || message.userAction.name !== 'ask') return
    const { question } = message.userAction.context
    const input = typeof question === 'string' ? question : ''
    const result = await runFlow(flow.toJSON(), { components, input }).result
    await writer.update('ask', '/ask', { question: input, answer: result.text() ?? 'No answer' })
  },
})

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Ask</title>
    <script type="module" src="/page.js"></script>
  </head>
  <body>
    <surface-viewer surface="ask" stream="/surface" events="/surface"></surface-viewer>
  </body>
</html>
`
const app = new Hono()
app.get('/', (c) => c.html(PAGE))
app.get('/page.js', async (c) => {
  const page = new URL('../examples/hono-surface/browser/page.ts', import.meta.url)
  const script = await bundleScript(page)
  return c.body(script, 200, { 'content-type': 'text/javascript; charset=utf-8' })
})
app.all('/surface', honoHandler(surface))
serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 0), hostname: '127.0.0.1' }, (at) => {
  console.log(`Listening on http://127.0.0.1:${at.port}`)
})
