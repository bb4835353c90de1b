import {
  bind,
  call,
  check,
  createSurfaceWriter,
  event,
  uiV09,
  validateSubmission,
  type JsonObject,
} from '@x/surface-protocol'
import { createSurfaceChannel, createSurfaceHandler } from '@x/surface-protocol/http'
import { createVersionAdapter } from '@x/surface-protocol/interop'
import { v1 } from '@x/surface-protocol/v1'

/**
 * A form written once, in version 0.9.1, for viewers of 0.8, 0.9.1 and 1.0. The server validates what
 * they send with the checks of the form.
 */
export function createSignUpSurface(): (request: Request) => Promise<Response> {
  const writer = createSurfaceWriter({
    version: '0.9.1',
    send: (message) => channel.send(message),
  })
  const channel = createSurfaceChannel({
    version: '0.9.1',
    versions: ['0.9.1', '0.8', v1],
    store: writer.store,
  })
  // Actions of other versions arrive as actions of 0.9.1.
  const adapters = {
    '0.8': createVersionAdapter({ from: '0.9.1', to: '0.8' }),
    '1.0': createVersionAdapter({ from: '0.9.1', to: v1 }),
  }

  const shown = writer.render('sign-up', {
    // Nested, because 0.8 cannot set a single value at the root and would resend the mail as well.
    data: { form: { mail: '' }, result: { text: 'Nobody yet' } },
    root: uiV09.Column({
      children: [
        uiV09.TextField({
          label: 'Mail',
          value: bind('/form/mail'),
          checks: [check(call('email', { value: bind('/form/mail') }), 'Enter an address.')],
        }),
        uiV09.Text({ text: bind('/result/text') }),
        uiV09
          .Button({
            child: uiV09.Text({ text: 'Sign up' }),
            action: event('sign-up', { mail: bind('/form/mail') }),
          })
          .id('send'),
      ],
    }),
  })

  return createSurfaceHandler({
    async open() {
      await shown
      return channel
    },
    async onClientMessage(message) {
      const isEarlier = 'userAction' in message
      const isLater = 'version' in message && message.version === 'v1.0'
      const adapter = isEarlier ? adapters['0.8'] : isLater ? adapters['1.0'] : null
      const [action] = adapter === null ? [message] : adapter.push(message)
      const { message: accepted, data, diagnostics } = validateSubmission(writer.store, action)
      const problems = diagnostics.map((one) => one.message)
      const text = accepted === null ? problems.join(' ') : `Welcome, ${mailOf(data)}`
      await writer.update('sign-up', '/result/text', text)
    },
  })
}

/** The form binds its field to this path; the checks guarantee a string. */
function mailOf(data: JsonObject): string {
  const { mail } = data['form'] as { mail: string }
  return mail
}
