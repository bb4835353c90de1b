import { bind, createSurfaceWriter, ui } from '@x/surface-protocol'
import { createSurfaceChannel, createSurfaceHandler } from '@x/surface-protocol/http'

/** A poll shared by all viewers: GET streams it, POST receives votes. */
export function createPollSurface(): (request: Request) => Promise<Response> {
  const votes = { tea: 0, coffee: 0 }
  const writer = createSurfaceWriter({
    send: (message) => channel.send(message),
    selfContained: true,
  })
  // With the writer's store, each new viewer receives the current surface.
  const channel = createSurfaceChannel({ store: writer.store })

  const shown = writer.render('poll', {
    root: ui.Card({
      child: ui.Column({
        children: [
          ui.Text({ text: 'Tea or coffee?', usageHint: 'h2' }),
          ui.Text({ text: bind('/poll/result') }),
          ui.Row({
            children: [
              // Must differ from the name of its action: the public renderer resolves text that equals an id.
              ui.Button({ child: ui.Text({ text: 'Tea' }), action: 'tea' }).id('tea-button'),
              ui
                .Button({ child: ui.Text({ text: 'Coffee' }), action: 'coffee' })
                .id('coffee-button'),
            ],
          }),
        ],
      }),
    }),
    data: { poll: { result: 'No votes yet' } },
  })

  return createSurfaceHandler({
    async open() {
      await shown
      return channel
    },
    async onClientMessage(message) {
      if (!('userAction' in message)) return
      const { name } = message.userAction
      if (name !== 'tea' && name !== 'coffee') return
      votes[name] += 1
      const result = `Tea ${votes.tea}, coffee ${votes.coffee}`
      await writer.update('poll', '/poll', { result })
    },
  })
}
