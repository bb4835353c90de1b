import { bind, createSurfaceWriter, ui, type SurfaceLimits } from '@x/surface-protocol'
import {
  createSurfaceChannel,
  createSurfaceHandler,
  type SurfaceChannelOptions,
  type SurfaceHandlerOptions,
} from '@x/surface-protocol/http'

/** Limits of the surface. Default: those of the package. */
export interface DemoSurfaceLimits {
  readonly store: Partial<SurfaceLimits>
  readonly channel: Pick<
    SurfaceChannelOptions,
    'history' | 'historyBytes' | 'highWaterMark' | 'slowMs' | 'maxSubscribers'
  >
  readonly handler: Pick<SurfaceHandlerOptions, 'maxBodyBytes'>
}

/**
 * A surface shared by all viewers: a counter with a button. GET streams it (SSE or JSON Lines, by
 * `Accept`), POST accepts user actions.
 */
export function createDemoSurface({
  limits,
  ...options
}: Pick<SurfaceHandlerOptions, 'onError' | 'requestHooks' | 'metrics'> & {
  readonly limits?: DemoSurfaceLimits
} = {}): {
  readonly handle: ReturnType<typeof createSurfaceHandler>
  /** Ends the streams of all viewers. */
  close(): void
} {
  let count = 0
  const writer = createSurfaceWriter({
    send: (message) => channel.send(message),
    selfContained: true,
    ...(limits === undefined ? {} : { limits: limits.store }),
  })
  const channel = createSurfaceChannel({
    ...limits?.channel,
    store: writer.store,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  })

  const root = ui.Card({
    child: ui.Column({
      children: [
        ui.Text({ text: bind('/demo/title'), usageHint: 'h2' }),
        ui.Text({ text: bind('/demo/count') }),
        // Differs from the name of its action, because the public renderer reads a string that equals an id
        // as a component reference.
        ui.Button({ child: ui.Text({ text: 'Count' }), action: 'count' }).id('count-button'),
      ],
    }),
  })
  const shown = writer.render('demo', {
    root,
    data: { demo: { title: 'A surface from the server', count: counted(0) } },
  })

  const handle = createSurfaceHandler({
    ...options,
    ...limits?.handler,
    route: '/surfaces/demo',
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
