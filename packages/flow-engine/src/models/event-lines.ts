import { limitExceeded } from '../errors.ts'
import { bodyChunks } from './read-answer.ts'

const MAX_EVENT_CHARS = 8 * 1024 * 1024

/** The `data` of each server-sent event of an answer, in order. */
export async function* eventData(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const chunk of bodyChunks(response)) {
    rest += decoder.decode(chunk, { stream: true })
    if (rest.length > MAX_EVENT_CHARS) throw limitExceeded('event length', `${MAX_EVENT_CHARS}`)
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
      else if (line === '' && data.length > 0) {
        yield data.join('\n')
        data = []
      }
    }
  }
  if (rest.startsWith('data:')) data.push(rest.slice(5).trim())
  if (data.length > 0) yield data.join('\n')
}
