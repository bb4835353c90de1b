import { formatSseFrame } from '@x/wire'
import { jsonProblem } from '@x/wire'
import { serverSentEvents } from '@x/flow-engine/internal'
import { readAnswer } from '@x/flow-engine/internal'

/** Maximum size of a response that is not streamed; events are limited where they are read. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Limits the responses of an MCP server before they are parsed: 16 MiB for a response that is not
 * streamed, 8 Mi characters for an event, and the depth and number of values of its JSON.
 */
export function withBoundedAnswers(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    if (response.body === null) return response
    const { status, statusText, headers } = response
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
    const body = isStream ? boundedEvents(response) : await boundedText(response)
    return new Response(body, { status, statusText, headers })
  }
}

async function boundedText(response: Response): Promise<string> {
  const text = await readAnswer(response, MAX_BYTES)
  const isJson = response.headers.get('content-type')?.includes('json') === true
  if (isJson) checkJson(text)
  return text
}

function boundedEvents(response: Response): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const events = serverSentEvents(response)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next()
      if (done === true) return controller.close()
      checkJson(value.data)
      controller.enqueue(encoder.encode(formatSseFrame(value)))
    },
    async cancel() {
      await response.body?.cancel().catch(() => undefined)
    },
  })
}

/** @throws TypeError */
function checkJson(text: string): void {
  const problem = jsonProblem(text)
  if (problem !== null) throw new TypeError(`The response of the MCP server is ${problem}`)
}
