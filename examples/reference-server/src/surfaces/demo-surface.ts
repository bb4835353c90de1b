import { bind, createSurfaceWriter, ui } from '@x/surface-protocol'
import { createSurfaceChannel, createSurfaceHandler } from '@x/surface-protocol/http'

/**
 * A surface that all viewers share: a counter with a button. GET streams it (SSE or JSON Lines, by
 * `Accept`), POST takes what users do.
 */
export function createDemoSurface(): {
  readonly handle: (request: Request) => Promise<Response>
  /** Ends the streams of all viewers. */
  close(): void
} {
  let count = 0
  const writer = createSurfaceWriter({
    send: (message) => channel.send(message),
    selfContained: true,
  })
  const channel = createSurfaceChannel({ store: writer.store })

  const root = ui.Card({
    child: ui.Column({
      children: [
        ui.Text({ text: bind('/demo/title'), usageHint: 'h2' }),
        ui.Text({ text: bind('/demo/count') }),
        // Not the name of its action: the public renderer takes a text that is an id for a component.
        ui.Button({ child: ui.Text({ text: 'Count' }), action: 'count' }).id('count-button'),
      ],
    }),
  })
  const shown = writer.render('demo', {
    root,
    data: { demo: { title: 'A surface from the server', count: counted(0) } },
  })

  const handle = createSurfaceHandler({
    async open() {
      await shown
      return channel
    },
    async onClientMessage(message) {
      if (!('userAction' in message) || message.userAction.name !== 'count') return
      count += 1
      await writer.update('demo', '/demo', { count: counted(count) })
    },
  })
  return { handle, close: () => channel.close() }
}

const counted = (count: number): string =>
  count === 0
    ? 'Nobody has pressed the button yet'
    : `Pressed ${count} time${count === 1 ? '' : 's'}`
