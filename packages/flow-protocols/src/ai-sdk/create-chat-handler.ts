import {
  choose,
  doorHandler,
  doorParts,
  notFound,
  segmentsOf,
  type DoorHandler,
} from '../host/door-handler.ts'
import { fileAnswer } from '../host/file-answer.ts'
import { createFlowHost } from '../host/flow-host.ts'
import type { DoorContext, DoorOptions } from '../host/door-options.ts'
import { asId } from '../http/check.ts'
import { DoorError } from '../http/door-error.ts'
import { textError } from '../http/error-answer.ts'
import { ChatDoor } from './chat-door.ts'

/**
 * One flow as the backend of `useChat`, on any path: below `basePath` (default `/api/chat`) are the chat, its
 * history, its running stream, its stop and its files.
 * @throws TypeError naming a wrong option; FlowCompileError for a flow that cannot run
 */
export function createChatHandler(options: DoorOptions): DoorHandler {
  const flows = createFlowHost(options, { maker: 'createChatHandler', basePath: '/api/chat' })
  const door = new ChatDoor(doorParts(flows, options))

  const answer = async (request: Request, context: DoorContext): Promise<Response> => {
    const route = routeOf(request.method, segmentsOf(flows.below(request)))
    if (route.kind === 'file') {
      const file = await flows.openFile(route.id)
      if (file === null) throw new DoorError('file_not_found', 'There is no such file.')
      return fileAnswer(request, file.path, file.bytes)
    }
    const call = await flows.admit(request, context)
    if (call instanceof Response) return call
    if (route.kind === 'post') return await door.post(call)
    const chatId = asId(route.id, 'The chat id')
    if (route.kind === 'stream') return await door.resume(call, chatId)
    if (route.kind === 'stop') return await door.stop(call, chatId)
    if (route.kind === 'remove') return await door.remove(call, chatId)
    return await door.history(call, chatId, new URL(request.url).searchParams.get('before'))
  }
  const { runtime, onError } = flows.host
  const close = (): Promise<void> => flows.close()
  return doorHandler(answer, { runtime, onError, close, toResponse: textError })
}

interface ChatRoute {
  readonly kind: 'post' | 'file' | 'stream' | 'stop' | 'remove' | 'history'
  /** Of the chat; the ticket of a file. */
  readonly id: string
}

/** @throws DoorError `not_found`, `method_not_allowed` */
function routeOf(method: string, [id = '', second, ...rest]: readonly string[]): ChatRoute {
  if (rest.length > 0) throw notFound()
  const route = (kind: ChatRoute['kind'], at = id): ChatRoute => ({ kind, id: at })
  if (id === '' && second === undefined) return choose(method, { POST: route('post') })
  if (second === undefined)
    return choose(method, { GET: route('history'), DELETE: route('remove') })
  if (second === 'stream') return choose(method, { GET: route('stream') })
  if (second === 'stop') return choose(method, { POST: route('stop') })
  if (id === 'files') return choose(method, { GET: route('file', second) })
  throw notFound()
}
