import { requestIdOf, withRequestId, type Runtime } from '@x/wire'
import { pathOfTicket } from '../files/file-links.ts'
import type { DoorCall } from '../http/door-call.ts'
import { DoorError } from '../http/door-error.ts'
import { shownError } from '../http/error-answer.ts'
import type { DoorParts } from '../http/door-parts.ts'
import { storeSentFiles } from '../http/sent-files.ts'
import { MAX_BODY } from '../http/read-json.ts'
import type { DoorContext, DoorOptions } from './door-options.ts'
import type { FlowHost } from './flow-host.ts'

/** A fetch handler; never rejects. */
export interface DoorHandler {
  (request: Request, context?: DoorContext): Promise<Response>
  /** Stops running turns; with a `jobs` that outlives the process, the next one continues them. */
  close(): Promise<void>
}

/** The parts of a door over a flow of a host. @param filesAt path of the files below `basePath` */
export function doorParts(flows: FlowHost, options: DoorOptions): DoorParts {
  const { turns, host, history, basePath, box } = flows
  const filesAt = ({ request }: DoorCall): string =>
    `${new URL(request.url).origin}${basePath}/files/`
  return {
    host,
    turns,
    history,
    reasoning: options.reasoning ?? true,
    surfaces: options.surfaces,
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY,
    async storeFiles(call, key, files) {
      const base = filesAt(call)
      const { userId } = call
      const { id: flowId } = call.flow
      return await storeSentFiles(files, {
        ownPath: (url) =>
          pathOfTicket({ box, runtime: host.runtime }, { url, base, userId, flowId }),
        write: (file) => flows.writeFile(call, key, file),
      })
    },
    async fileUrl(call, path) {
      return `${filesAt(call)}${await flows.ticket(call, path)}`
    },
  }
}

/** Answers errors in the form of the door, and gives every response its request id. */
export function doorHandler(
  answer: (request: Request, context: DoorContext) => Promise<Response>,
  {
    runtime,
    onError,
    toResponse,
    close,
  }: {
    readonly runtime: Runtime
    readonly onError: (error: unknown) => void
    readonly toResponse: (request: Request, error: DoorError) => Response
    readonly close: () => Promise<void>
  },
): DoorHandler {
  const handler = async (request: Request, context: DoorContext = {}): Promise<Response> => {
    const id = requestIdOf(request, context.requestId, () => runtime.uuid())
    try {
      return withRequestId(await answer(request, context), id)
    } catch (error) {
      return withRequestId(toResponse(request, shownError(error, onError)), id)
    }
  }
  return Object.assign(handler, { close })
}

/** The parts of a path below the base, decoded. @throws DoorError `not_found` outside of it */
export function segmentsOf(path: string | undefined): readonly string[] {
  if (path === undefined) throw notFound()
  return path.split('/').slice(1).map(decode)
}

export function notFound(): DoorError {
  return new DoorError('not_found', 'There is nothing at this address.')
}

/** @throws DoorError `method_not_allowed` */
export function choose<T>(method: string, allowed: Readonly<Record<string, T>>): T {
  const route = Object.hasOwn(allowed, method) ? allowed[method] : undefined
  if (route !== undefined) return route
  throw new DoorError('method_not_allowed', `${method} is not allowed here.`, {
    headers: { allow: Object.keys(allowed).join(', ') },
  })
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
