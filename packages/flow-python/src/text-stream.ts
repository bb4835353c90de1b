import type { ComponentContext } from '@x/flow-engine'
import { changeMessage } from '@x/flow-engine/internal'
import { createMessage, isMessage, type Message } from '@x/flow-engine'

type Results = Readonly<Record<string, unknown>>

/** Text that Python code produces in pieces, shown in the chat as it grows. */
export interface TextStream {
  token(piece: string): void
  /** Returns the results, replacing the message whose text was shown with the shown message. */
  finish(results: Results): Promise<Results>
  /** Removes the message that was shown. */
  fail(): Promise<void>
}

/**
 * Creates a stream. Text is shown if the node's only connected output leads to a chat output in a session.
 */
export function createTextStream(ctx: ComponentContext): TextStream {
  const { chatOutput } = ctx
  const shown =
    chatOutput !== undefined && ctx.sessionId !== '' && !ctx.asTool && ctx.connected.size === 1
  let text = ''
  let announced: Promise<Message> | undefined
  let said = Promise.resolve()

  const announce = (): Promise<Message> =>
    ctx.sendMessage(
      createMessage({
        sender: 'Machine',
        senderName: chatOutput?.senderName ?? 'AI',
        sessionId: ctx.sessionId,
        flowId: ctx.flowId,
        timestamp: ctx.runtime.now(),
        properties: { state: 'partial' },
      }),
    )
  const withdraw = async (): Promise<void> => {
    const { id } = (await announced) ?? {}
    if (id !== undefined) await ctx.removeMessage(id)
  }

  /** Sends the pieces in order. */
  const say = async (piece: string, message: Promise<Message>, before: Promise<void>) => {
    await before
    const { id } = await message
    if (id !== undefined) ctx.token(piece, id, { send: piece.trim() !== '' })
  }

  return {
    token(piece) {
      if (!shown) return
      text += piece
      announced ??= announce()
      said = say(piece, announced, said)
      said.catch(() => undefined)
    },
    async finish(results) {
      if (announced === undefined) return results
      await said
      const { id } = await announced
      const [name, found] =
        Object.entries(results).find(([, value]) => isMessage(value) && value.text === text) ?? []
      if (name === undefined || id === undefined || !isMessage(found)) {
        await withdraw()
        return results
      }
      const whole = changeMessage(found, {
        id,
        sessionId: ctx.sessionId,
        properties: { ...found.properties, state: 'complete' },
      })
      return { ...results, [name]: await ctx.updateMessage(whole) }
    },
    async fail() {
      await withdraw().catch(() => undefined)
    },
  }
}
