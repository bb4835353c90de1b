import { describe, expect, test } from 'vitest'
import {
  bind,
  checkUserAction,
  createSurfaceStore,
  createSurfaceWriter,
  event,
  uiV09,
  validateClientMessage,
  validateSubmission,
  type JsonObject,
} from '@x/surface-protocol'
import { createSurfaceChannel, createSurfaceHandler } from '@x/surface-protocol/http'
import { readForwardedAction } from '@x/surface-protocol/interop'
import { v1 } from '@x/surface-protocol/v1'

const timestamp = '2026-11-28T08:00:00Z'
const fields = {
  name: 'send',
  surfaceId: 's',
  sourceComponentId: 'go',
  timestamp,
  context: { mail: 'ida@host.example', picks: ['r'] },
}
const form = uiV09.Column({
  children: [
    uiV09.TextField({ label: 'Mail', value: bind('/mail') }),
    uiV09.ChoicePicker({
      options: [{ label: 'Red', value: 'r' }],
      value: bind('/picks'),
    }),
    uiV09
      .Button({
        child: uiV09.Text({ text: 'Send' }),
        action: event('send', { mail: bind('/mail'), picks: bind('/picks') }),
      })
      .id('go'),
  ],
})

async function shown(data: JsonObject = { mail: '', picks: ['g'] }) {
  const writer = createSurfaceWriter({ version: '0.9.1', send: () => undefined })
  await writer.render('s', { root: form, data })
  return writer.store
}

describe('SX-10: an action is judged whatever envelope it came in', () => {
  test.each([
    ['{userAction}', { userAction: fields }],
    ['a bare action', fields],
    ['{version, action}', { version: 'v0.9.1', action: fields }],
    ['the other number of the family', { version: 'v0.9', action: fields }],
    ['members of the client', { userAction: { ...fields, dataContextPath: '/' } }],
  ])('0.9.1: %s', async (_, message) => {
    const store = await shown()
    expect(checkUserAction(store, message)).toEqual([])
    const submission = validateSubmission(store, message)
    expect(submission).toMatchObject({ diagnostics: [], data: { mail: 'ida@host.example' } })
    expect(submission.message).toMatchObject({ action: fields })
  })

  test('0.8 and 1.0', () => {
    const older = createSurfaceStore()
    older.applyAll([
      {
        surfaceUpdate: {
          surfaceId: 's',
          components: [
            {
              id: 'go',
              component: { Button: { child: 't', action: { name: 'send', context: [] } } },
            },
          ],
        },
      },
      { beginRendering: { surfaceId: 's', root: 'go' } },
    ])
    const plain = { ...fields, context: {} }
    for (const message of [{ userAction: plain }, plain, { version: 'v0.9.1', action: plain }]) {
      expect(checkUserAction(older, message)).toEqual([])
      expect(validateSubmission(older, message)).toMatchObject({ message: { userAction: plain } })
    }
    expect(validateSubmission(older, { ...plain, name: 'other' })).toMatchObject({
      message: null,
      diagnostics: [{ code: 'action_not_declared', path: '/userAction/name' }],
    })
    const later = createSurfaceStore({ version: v1 })
    later.apply({
      version: 'v1.0',
      createSurface: {
        surfaceId: 's',
        catalogId: 'https://a2ui.org/catalogs/basic/v1/catalog.json',
        components: [
          { id: 'root', component: 'Column', children: ['go'] },
          { id: 't', component: 'Text', text: 'Send' },
          { id: 'go', component: 'Button', child: 't', action: { event: { name: 'send' } } },
        ],
      },
    })
    expect(checkUserAction(later, { userAction: plain })).toEqual([])
    expect(validateSubmission(later, { userAction: plain }).message).toMatchObject({
      version: 'v1.0',
      action: plain,
    })
    expect(checkUserAction(later, { version: 'v0.9.1', action: plain })).toMatchObject([
      { code: 'unsupported_version' },
    ])
  })

  test('a version that the store cannot be meant by', async () => {
    const store = await shown()
    const message = { version: 'v1.0', action: fields }
    expect(checkUserAction(store, message)).toMatchObject([{ code: 'unsupported_version' }])
    expect(validateSubmission(store, message)).toMatchObject({
      message: null,
      diagnostics: [{ code: 'unsupported_version' }],
    })
    const refused = checkUserAction(store, { userAction: { ...fields, name: 'other' } })
    expect(refused).toMatchObject([{ code: 'action_not_declared', path: '/action/name' }])
    expect(checkUserAction(store, {})[0]?.code).toMatch(/^m/)
    expect(
      checkUserAction(store, { ...fields, sourceComponentId: 'root' }).map(({ code }) => code),
    ).toEqual(['not_actionable'])
  })
})

describe('SX-12: what AG-UI clients forward', () => {
  const now = new Date(timestamp)
  test.each([
    { forwardedProps: { a2uiAction: { userAction: fields } }, threadId: 't' },
    { a2uiAction: { userAction: fields } },
    { userAction: fields },
  ])('is read from %j', (input) => {
    expect(readForwardedAction(input, { now })).toEqual({ userAction: fields })
  })

  test('gaps are filled, anything else is null', async () => {
    const { timestamp: _, context: __, ...rest } = fields
    expect(readForwardedAction({ userAction: rest }, { now })).toEqual({
      userAction: { ...rest, timestamp: '2026-11-28T08:00:00.000Z', context: {} },
    })
    for (const input of [null, 1, 'x', {}, { forwardedProps: null }, { userAction: 'x' }, []]) {
      expect(readForwardedAction(input)).toBeNull()
    }
    const action = readForwardedAction({ forwardedProps: { a2uiAction: { userAction: fields } } })
    expect(validateSubmission(await shown(), action).diagnostics).toEqual([])
  })
})

describe('SX-12a: a timestamp may be a number', () => {
  test.each([
    ['0.8', undefined, (action: object) => ({ userAction: action })],
    ['0.9.1', '0.9.1', (action: object) => ({ version: 'v0.9.1', action })],
    ['1.0', v1, (action: object) => ({ version: 'v1.0', action })],
  ] as const)('in %s', (_, version, wrap) => {
    const options = version === undefined ? {} : { version }
    const check = (time: number) =>
      validateClientMessage(wrap({ ...fields, timestamp: time }), options as { version: '0.9.1' })
    expect(check(0).message).toEqual(wrap({ ...fields, timestamp: '1970-01-01T00:00:00.000Z' }))
    expect(check(1764316800000.5).diagnostics).toEqual([])
    for (const time of [1e20, NaN, Infinity]) {
      expect(check(time)).toMatchObject({ message: null, diagnostics: [{ code: 'invalid_value' }] })
    }
  })

  test('of a submission and of a check with a limit', async () => {
    const store = await shown()
    const action = { ...fields, timestamp: Date.parse(timestamp) }
    expect(validateSubmission(store, { userAction: action }).message).toMatchObject({
      action: { timestamp: '2026-11-28T08:00:00.000Z' },
    })
    const options = { maxSkewMs: 10, now: new Date(timestamp) }
    expect(checkUserAction(store, action, options)).toEqual([])
    expect(
      checkUserAction(store, { ...action, timestamp: 5 }, options).map((one) => one.code),
    ).toEqual(['invalid_value'])
  })
})

describe('SX-13: lists as clients of 0.8 send them', () => {
  test.each([
    [{}, ['g']],
    [{ 0: 'r' }, ['r']],
    [{ 1: 'b', 0: 'a' }, ['a', 'b']],
  ])('%j', async (picks, wanted) => {
    const store = await shown()
    const { diagnostics, message, data } = validateSubmission(store, {
      userAction: { ...fields, context: { mail: '', picks } },
    })
    expect(diagnostics).toEqual([])
    expect(message).toMatchObject({ action: { context: { picks: wanted } } })
    expect(data.picks).toEqual(wanted)
  })

  test('also where the server has no value yet, and nowhere else', async () => {
    const store = await shown({})
    const sent = (context: JsonObject) =>
      validateSubmission(store, { userAction: { ...fields, context } }).message
    expect(sent({ mail: '', picks: { 0: 'r' } })).toMatchObject({
      action: { context: { picks: ['r'] } },
    })
    expect(sent({ mail: { 0: 'r' }, picks: {} })).toMatchObject({
      action: { context: { mail: { 0: 'r' }, picks: [] } },
    })
  })
})

describe('SX-11: a handler hands on actions in the version of the channel', () => {
  async function host(clientMessages?: 'as sent') {
    const got: [unknown, unknown][] = []
    const writer = createSurfaceWriter({
      version: '0.9.1',
      send: (message) => channel.send(message),
    })
    const channel = createSurfaceChannel({ version: '0.9.1', versions: ['0.8', v1] })
    const handler = createSurfaceHandler({
      open: () => channel,
      onClientMessage: (message, { received }) => void got.push([message, received]),
      ...(clientMessages === undefined ? {} : { clientMessages }),
    })
    await writer.render('s', { root: form })
    const post = async (message: object) => {
      const response = await handler(
        new Request('http://x.example/', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(message),
        }),
      )
      expect(response.status).toBe(202)
      return got.splice(0)[0]
    }
    return { post }
  }

  test('whatever the viewer sent', async () => {
    const { post } = await host()
    const own = { version: 'v0.9.1', action: fields }
    expect(await post({ userAction: fields })).toEqual([own, { userAction: fields }])
    expect(await post({ version: 'v1.0', action: fields })).toEqual([
      own,
      { version: 'v1.0', action: fields },
    ])
    expect(await post(own)).toEqual([own, own])
    const error = { error: { code: 'x', message: 'y' } }
    expect(await post(error)).toEqual([error, error])
  })

  test('or as they were sent', async () => {
    const { post } = await host('as sent')
    expect((await post({ userAction: fields }))?.[0]).toEqual({ userAction: fields })
  })

  test('channels of 0.8 stay as they are; an unknown choice is refused', async () => {
    const got: unknown[] = []
    const channel = createSurfaceChannel({ versions: ['0.9.1'] })
    const handler = createSurfaceHandler({
      open: () => channel,
      onClientMessage: (message) => void got.push(message),
    })
    const body = JSON.stringify({ version: 'v0.9.1', action: fields })
    await handler(
      new Request('http://x.example/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }),
    )
    expect(got).toEqual([{ version: 'v0.9.1', action: fields }])
    expect(() =>
      createSurfaceHandler({ open: () => channel, clientMessages: 'sent' as never }),
    ).toThrow(TypeError)
  })
})
