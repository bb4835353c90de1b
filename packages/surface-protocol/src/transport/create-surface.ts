import { json } from '@x/wire'
import { checkOptions } from '../catalog/check-options.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { SurfaceDescription } from '../build/builder.ts'
import { createCallQueue } from '../build/call-queue.ts'
import { createUi } from '../build/ui.ts'
import { createOpenWriter } from '../build/writer.ts'
import { isSurfaceError, SurfaceError } from '../diagnostics/errors.ts'
import { defined, ownValue, type JsonObject, type JsonValue } from '../json.ts'
import type { AnyClientMessage } from '../message/any-message.ts'
import { stateOfStore, type SurfaceStore } from '../store/store.ts'
import { validateSubmission, type Submission } from '../store/submission.ts'
import { createSurfaceChannel, type SurfaceChannel } from './channel.ts'
import { createSurfaceHandler, type SurfaceContext } from './handler.ts'
import {
  surfaceOptionNames,
  type SurfaceChanges,
  type SurfaceDrawing,
  type SurfaceOptions,
  type UiFor,
} from './surface-options.ts'

/** A surface that is served over HTTP. */
export interface Surface<Data, C = undefined> extends SurfaceChanges<Data, C> {
  /** GET streams the surface, POST takes its actions. */
  readonly handler: (request: Request, context?: SurfaceContext) => Promise<Response>
  /** A copy of the present data. */
  readonly data: Data
  readonly store: SurfaceStore
  readonly channel: SurfaceChannel
  /** Ends all streams. */
  close(): void
}

/** Actions that may wait. */
const MAX_WAITING = 1000

/**
 * Serves one surface: its view, its data and its actions, to viewers of version 0.9.1, 0.9 and 0.8.
 * @throws TypeError for invalid options, SurfaceError for a view that cannot be shown
 */
export function createSurface<
  Data extends JsonObject = JsonObject,
  C extends Catalog | undefined = undefined,
  User = undefined,
>(surfaceId: string, options: SurfaceOptions<Data, C, User>): Surface<Data, C> {
  checkOptions('createSurface', options, surfaceOptionNames)
  const { authorize, view, data, actions = {}, catalog, catalogId, theme, ...others } = options
  const { sendDataModel, limits, onError, ...ofChannel } = others
  if (typeof authorize !== 'function' && authorize !== 'anyone') {
    throw new TypeError(
      `createSurface: option "authorize" must be a function that returns the user, or 'anyone'`,
    )
  }
  const { version = '0.9.1', versions = [version, '0.9', '0.8'], catalogAliases } = ofChannel
  const { writer, begin } = createOpenWriter({
    version,
    send: (message) => channel.send(message),
    ...defined({ catalogs: catalog && [catalog], catalogAliases, catalogId, limits }),
  })
  const { store } = writer
  const channel = createSurfaceChannel({ ...ofChannel, version, versions, store })
  const [basic] = stateOfStore(store).settings.dialect.catalogs
  const ui = createUi((catalog ?? basic) as Catalog) as UiFor<C>
  let drawing: SurfaceDrawing<C> = view
  const description = (present: JsonObject): SurfaceDescription => ({
    root: drawing(ui),
    data: present,
    ...defined({ theme, sendDataModel, catalog }),
  })
  const changes: SurfaceChanges<Data, C> = {
    set: (path, value) => writer.update(surfaceId, path, value),
    remove: (path) => writer.remove(surfaceId, path),
    async render(next = drawing) {
      drawing = next
      await writer.render(surfaceId, description(dataOf(store)))
    },
  }
  const dataOf = (from: SurfaceStore) => (from.getData(surfaceId) ?? {}) as Data
  const users = new WeakMap<Request, User>()

  const run = async (message: AnyClientMessage, request: Request): Promise<void> => {
    const submission = validateSubmission(store, message)
    const { name, context } = actionOf(submission)
    const action = ownValue(actions, name) as (typeof actions)[string] | undefined
    if (action === undefined) {
      const detail = 'The surface has no such action.'
      throw new SurfaceError({ code: 'action_not_declared', status: 422, detail, surfaceId })
    }
    const call = {
      ...changes,
      context: context as Partial<Data> & Record<string, JsonValue>,
      data: submission.data as Data,
      request,
      user: users.get(request) as User,
    }
    try {
      await action(call)
    } catch (error) {
      // Whatever it says is for the host.
      throw isSurfaceError(error) ? new Error('An action failed.', { cause: error }) : error
    }
  }

  const inOrder = createCallQueue(MAX_WAITING)
  let waiting = 0
  const handler = createSurfaceHandler({
    async open(request) {
      if (authorize === 'anyone') return channel
      const user = await authorize(request)
      if (user === null) {
        const error = { code: 'unauthorized', message: 'Sign in to see this surface.' }
        return json(request, { error }, { status: 401 })
      }
      if (isResponse(user)) return user
      users.set(request, user)
      return channel
    },
    async onClientMessage(message, { request }) {
      if (!('action' in message || 'userAction' in message)) return
      if (waiting >= MAX_WAITING) {
        const detail = `${MAX_WAITING} actions are waiting. Try again later.`
        throw new SurfaceError({ code: 'limit_exceeded', status: 503, detail, surfaceId })
      }
      waiting += 1
      await inOrder(() => run(message, request)).finally(() => {
        waiting -= 1
      })
    },
    ...defined({ onError, metrics: ofChannel.metrics, runtime: ofChannel.runtime }),
  })

  begin(surfaceId, description(data ?? {}))
  return {
    ...changes,
    handler,
    store,
    channel,
    get data() {
      return dataOf(store)
    },
    close: () => channel.close(),
  }
}

/** @throws SurfaceError with the status 422 for a submission that was refused */
function actionOf({ message, diagnostics }: Submission): {
  readonly name: string
  readonly context: JsonObject
} {
  if (message !== null && 'userAction' in message) return message.userAction
  if (message !== null && 'action' in message) return message.action
  const first = diagnostics.find(({ severity }) => severity === 'error')
  const code = first?.code ?? 'malformed_message'
  const detail = first?.message ?? 'The action was refused.'
  throw new SurfaceError({ code, status: 422, detail, diagnostics })
}

function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && 'headers' in value && 'bodyUsed' in value
}
