import type { BudgetedCall } from '../../components/define/call-budget.ts'
import type { ChatMessage } from '../../models/chat-model.ts'

/** Counts the tokens of a text as a model does. */
export type CountTokens = (
  model: { readonly provider?: string; readonly name: string },
  text: string,
) => number

const BYTES_OF_TOKEN = 3
/** Vendors count an image by its size on the screen, not by its bytes. */
const TOKENS_OF_IMAGE = 1500

/** The tokens of the messages, tools and schema of a request, or of the texts of an embedding. */
export function estimateInput(
  request: BudgetedCall['request'],
  { provider, name }: { readonly provider: string | undefined; readonly name: string },
  countTokens: CountTokens | undefined,
): number {
  const { text, images } = partsOf(request)
  const model = { ...(provider === undefined || provider === '' ? {} : { provider }), name }
  const counted = countTokens?.(model, text)
  const tokens =
    counted === undefined || !Number.isFinite(counted) || counted < 0
      ? new TextEncoder().encode(text).length / BYTES_OF_TOKEN
      : counted
  return Math.ceil(tokens) + images * TOKENS_OF_IMAGE
}

function partsOf(request: BudgetedCall['request']): { text: string; images: number } {
  if (!('messages' in request)) return { text: request.join('\n'), images: 0 }
  const { messages, tools = [], responseFormat } = request
  const read = messages.map(messageParts)
  const schemas = [...tools, responseFormat].filter((part) => typeof part === 'object')
  return {
    text: [...read.map(({ text }) => text), ...schemas.map((part) => JSON.stringify(part))].join(
      '\n',
    ),
    images: read.reduce((sum, { images }) => sum + images, 0),
  }
}

function messageParts({ content, toolCalls }: ChatMessage): { text: string; images: number } {
  const calls = toolCalls === undefined || toolCalls.length === 0 ? [] : [JSON.stringify(toolCalls)]
  if (typeof content === 'string') return { text: [content, ...calls].join('\n'), images: 0 }
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return { text: [...texts, ...calls].join('\n'), images: content.length - texts.length }
}
