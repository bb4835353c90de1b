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
import { jsonError } from '../http/error-answer.ts'
import { AgUiDoor } from './ag-ui-door.ts'

/**
 * One flow as an AG-UI agent, on any path: below `basePath` (default `/api/ag-ui`) are its runs, `/connect`,
 * `/threads/{thread}/stop`, `/capabilities` and its files.
 * @throws TypeError naming a wrong option; FlowCompileError for a flow that cannot run
 */
export function createAgUiHandler(options: DoorOptions): DoorHandler {
  const flows = createFlowHost(options, { maker: 'createAgUiHandler', basePath: '/api/ag-ui' })
  const door = new AgUiDoor(doorParts(flows, options))

  const answer = async (request: Request, context: DoorContext): Promise<Response> => {
    const { kind, id } = routeOf(request.method, segmentsOf(flows.below(request)))
    if (kind === 'file') {
      const file = await flows.openFile(id)
      if (file === null) throw new DoorError('file_not_found', 'There is no such file.')
      return fileAnswer(request, file.path, file.bytes)
    }
    const call = await flows.admit(request, context)
    if (call instanceof Response) return call
    if (kind === 'run') return await door.run(call)
    if (kind === 'connect') return await door.connect(call)
    if (kind === 'capabilities') return door.capabilities(call)
    return await door.stop(call, asId(id, 'The thread id'))
  }
  const { runtime, onError } = flows.host
  const close = (): Promise<void> => flows.close()
  return doorHandler(answer, { runtime, onError, close, toResponse: jsonError })
}

interface AgUiRoute {
  readonly kind: 'run' | 'connect' | 'stop' | 'capabilities' | 'file'
  /** Of the thread; the ticket of a file. */
  readonly id: string
}

/** @throws DoorError `not_found`, `method_not_allowed` */
function routeOf(
  method: string,
  [first = '', id = '', third, ...rest]: readonly string[],
): AgUiRoute {
  const route = (kind: AgUiRoute['kind']): AgUiRoute => ({ kind, id })
  if (rest.length > 0) throw notFound()
  if (first === 'threads' && third === 'stop') return choose(method, { POST: route('stop') })
  if (third !== undefined) throw notFound()
  if (first === 'files' && id !== '') return choose(method, { GET: route('file') })
  if (id !== '') throw notFound()
  if (first === '') return choose(method, { POST: route('run') })
  if (first === 'connect') return choose(method, { POST: route('connect') })
  if (first === 'capabilities') return choose(method, { GET: route('capabilities') })
  throw notFound()
}
