// The public web client of A2UI: it reads the stream of a form, shows it and sends what its user does.
import { MessageProcessor } from '@a2ui/web_core/v0_9'
import { A2uiSurface, basicCatalog } from '@a2ui/lit/v0_9'

const ADDRESS = '/sign-up'

async function send(action) {
  const body = JSON.stringify({ version: 'v0.9.1', action })
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(ADDRESS, { method: 'POST', headers, body })
  document.body.dataset.sent = String(status)
}

const processor = new MessageProcessor([basicCatalog], send, { version: 'v0.9.1' })
processor.onSurfaceCreated((surface) => {
  const shown = new A2uiSurface()
  shown.surface = surface
  document.body.append(shown)
  globalThis.readSurface = () => ({
    data: surface.dataModel.get('/'),
    components: Array.from(surface.componentsModel.entries, ([id, { type, properties }]) => ({
      ...properties,
      id,
      component: type,
    })),
  })
})

const response = await fetch(ADDRESS, {
  headers: { accept: 'application/jsonl', 'a2ui-version': '0.9.1' },
})
const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
let held = ''
for (;;) {
  const { done, value } = await reader.read()
  if (done) break
  const lines = (held + value).split('\n')
  held = lines.pop()
  const messages = lines.filter((line) => line !== '').map((line) => JSON.parse(line))
  if (messages.length > 0) processor.processMessages(messages)
}
