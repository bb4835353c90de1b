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
import { DoorError } from '../http/door-error.ts'
import { A2aDoor, rpcErrorResponse } from './a2a-door.ts'
import { readSigningKey, type SigningKey } from './signing-key.ts'

/** Options of an A2A agent. */
export interface A2aOptions extends DoorOptions {
  /** Public address of the endpoint, named in the card. Default: that of the request. */
  readonly url?: string
  /** Hosts and ranges that push notifications may reach although they are private. Default: none. */
  readonly ssrfAllow?: readonly string[]
  /** Signs the card. Its public key is at `.well-known/agent-keys.json` below `basePath`. */
  readonly signingKey?: SigningKey
}

/**
 * One flow as an A2A agent: its JSON-RPC endpoint at `basePath` (default `/api/a2a`), its card below. Needs
 * `@a2a-js/sdk`. Tasks run on without readers.
 * @throws TypeError naming a wrong option; FlowCompileError for a flow that cannot run
 */
export function createA2aHandler(options: A2aOptions): DoorHandler {
  const { url: given, ssrfAllow = [], signingKey: key, ...others } = options
  const signingKey = key === undefined ? undefined : checkedKey(key)
  const flows = createFlowHost(
    { ...others, unreadMs: null },
    { maker: 'createA2aHandler', basePath: '/api/a2a', ssrfAllow },
  )
  const { box, fetch } = flows
  const door = new A2aDoor(doorParts(flows, options), {
    push: { box, fetch, allow: ssrfAllow },
    signingKey,
  })
  flows.onContinue((jobId) => door.follow(jobId))

  const answer = async (request: Request, context: DoorContext): Promise<Response> => {
    const { kind, ticket } = routeOf(request.method, segmentsOf(flows.below(request)))
    if (!(await door.isThere())) throw notFound()
    if (kind === 'file') {
      const file = await flows.openFile(ticket)
      if (file === null) throw new DoorError('file_not_found', 'There is no such file.')
      return fileAnswer(request, file.path, file.bytes)
    }
    if (kind === 'keys') return door.keys(request)
    const call = await flows.admit(request, context)
    if (call instanceof Response) return call
    const url = given ?? `${new URL(request.url).origin}${flows.basePath}`
    return kind === 'card'
      ? await door.card(call, { url, keysUrl: `${url}/${KEYS}` })
      : await door.post(call, url)
  }
  const { runtime, onError } = flows.host
  const close = (): Promise<void> => {
    door.close()
    return flows.close()
  }
  return doorHandler(answer, { runtime, onError, close, toResponse: rpcErrorResponse })
}

const KEYS = '.well-known/agent-keys.json'

function checkedKey(key: unknown): SigningKey {
  try {
    return readSigningKey(key)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : ''
    throw new TypeError(`createA2aHandler: signingKey: ${message}`, { cause })
  }
}

interface A2aRoute {
  readonly kind: 'post' | 'card' | 'file' | 'keys'
  readonly ticket: string
}

/** @throws DoorError `not_found`, `method_not_allowed` */
function routeOf(method: string, [first = '', second, ...rest]: readonly string[]): A2aRoute {
  const route = (kind: A2aRoute['kind']): A2aRoute => ({ kind, ticket: second ?? '' })
  if (rest.length > 0) throw notFound()
  if (first === '' && second === undefined) return choose(method, { POST: route('post') })
  if (first === '.well-known' && second === 'agent-card.json')
    return choose(method, { GET: route('card') })
  if (first === '.well-known' && second === 'agent-keys.json')
    return choose(method, { GET: route('keys') })
  if (first === 'files' && second !== undefined) return choose(method, { GET: route('file') })
  throw notFound()
}
