import {
  createSurfaceStore,
  createSurfaceWriter,
  createUserAction,
  dataModelUpdate,
} from '@x/surface-protocol'
import { answerOf, questionSurface, type QuestionLike } from '@x/surface-protocol/forms'
import { describe, expect, test } from 'vitest'

const question = (more: Partial<QuestionLike> = {}): QuestionLike => ({
  requestId: 'Ask-1:job:1',
  prompt: 'Send this offer?',
  options: [],
  schema: null,
  ...more,
})

/** A client that shows a question, fills in its inputs in order, and presses a button. */
async function filledIn(asked: QuestionLike, values: readonly unknown[], pressed = 0) {
  const store = createSurfaceStore()
  const writer = createSurfaceWriter({
    send(message) {
      expect(store.apply(message).diagnostics).toEqual([])
    },
  })
  await writer.render('approval', questionSurface(asked))
  const data = Object.fromEntries(values.map((value, index) => [`f${index}`, value]))
  if (values.length > 0) store.apply(dataModelUpdate('approval', data as never, '/question'))
  const shown = JSON.stringify(store.snapshot('approval'))
  const buttons = nodesOf(store.tree('approval')).filter(({ type }) => type === 'Button')
  const button = buttons[pressed]
  if (button === undefined) throw new Error('There is no such button')
  const message = createUserAction(store, { surfaceId: 'approval', nodeId: button.id })
  return { shown, given: answerOf(message), buttons: buttons.length, message }
}

interface Node {
  readonly id: string
  readonly type: string | null
}

/** A tree and everything in it. */
function nodesOf(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(nodesOf)
  return 'componentId' in value ? [value as unknown as Node, ...inner] : inner
}

describe('questions as surfaces', () => {
  test('DR-43: a button for each option answers with its action', async () => {
    const options = [
      { actionId: 'approve', label: 'Approve' },
      { actionId: 'reject', label: 'Reject' },
    ]
    const { given, shown, buttons } = await filledIn(question({ options }), [], 1)
    expect(given).toEqual({ requestId: 'Ask-1:job:1', answer: { action_id: 'reject' } })
    expect(buttons).toBe(2)
    expect(shown).toContain('Send this offer?')
  })

  test('DR-43: a schema gives an input for each property and a button that submits', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Your name' },
        note: { type: 'string' },
        amount: { type: 'number' },
        ok: { type: 'boolean' },
        size: { enum: ['small', 2, null] },
        parts: { type: 'array', items: { type: 'string' } },
        'a:b/c': { type: 'string' },
      },
      required: ['name'],
    }
    const values = ['Ada', '', '12.5', true, ['2'], '["x","y"]', 'odd']
    const { given, shown, buttons } = await filledIn(question({ schema }), values)
    expect(given?.answer).toEqual({
      name: 'Ada',
      amount: 12.5,
      ok: true,
      size: 2,
      parts: ['x', 'y'],
      'a:b/c': 'odd',
    })
    expect(buttons).toBe(1)
    expect(shown).toContain('Your name')
  })

  test('DR-43: an unreadable answer stays a string, which the engine refuses', async () => {
    const schema = {
      type: 'object',
      properties: { amount: { type: 'number' }, parts: { type: 'array' } },
    }
    const { given } = await filledIn(question({ schema }), ['many', '[broken'])
    expect(given?.answer).toEqual({ amount: 'many', parts: '[broken' })
  })

  test('DR-43: defaults of the schema are filled in', async () => {
    const schema = {
      properties: {
        name: { type: 'string', default: 'Ada' },
        size: { enum: ['small', 'large'], default: 'large' },
        parts: { type: 'array', default: [1] },
      },
    }
    const { given } = await filledIn(question({ schema }), [])
    expect(given?.answer).toEqual({ name: 'Ada', size: 'large', parts: [1] })
  })

  test('DR-43: a question without options and schema is answered with a string', async () => {
    expect((await filledIn(question(), ['Tomorrow'])).given?.answer).toBe('Tomorrow')
    const schema = { type: 'integer' }
    expect((await filledIn(question({ schema }), ['7'])).given?.answer).toBe(7)
  })

  test('DR-43: a tool call is edited or refused with a reason', async () => {
    const asked = question({
      kind: 'tool_approval',
      options: ['approve', 'edit', 'reject'].map((actionId) => ({ actionId, label: actionId })),
      actionRequests: [{ name: 'send', args: { to: 'ada' } }],
    })
    const [approve, edit, reject] = await Promise.all([
      filledIn(asked, [], 0),
      filledIn(asked, ['{"to":"bob"}', ''], 1),
      filledIn(asked, ['{"to":"ada"}', 'Not today'], 2),
    ])
    expect(approve.shown).toContain('send {')
    expect(approve.given?.answer).toEqual({ action_id: 'approve' })
    expect(edit.given?.answer).toEqual({ action_id: 'edit', values: { args: { to: 'bob' } } })
    expect(reject.given?.answer).toEqual({
      action_id: 'reject',
      values: { message: 'Not today' },
    })
  })

  test('DR-43: other messages are not answers', async () => {
    const { message } = await filledIn(question(), ['x'])
    const others = [
      null,
      'answer_question',
      {},
      { userAction: { name: 'refresh', context: { requestId: 'r' } } },
      { userAction: { name: 'answer_question', context: { requestId: 7 } } },
      { userAction: { name: 'answer_question' } },
      { error: { message: 'x' } },
    ]
    expect(others.map(answerOf)).toEqual(others.map(() => null))
    const { userAction } = message
    expect(answerOf({ version: 'v0.9', action: userAction })?.answer).toBe('x')
  })
})
