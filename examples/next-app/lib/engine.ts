import { createFlowService, type FlowService } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { SESSIONS } from './sessions.ts'

function create(): FlowService {
  return createFlowService({
    store: createMemoryFlowStore(),
    files: createMemoryBlobStore(),
    secretKey: 'at least 32 characters of your own secret',
    authenticate(request) {
      const cookie = request.headers.get('cookie') ?? ''
      const user = SESSIONS.get(/(?:^|; )session=([^;]+)/.exec(cookie)?.[1] ?? '')
      return user === undefined
        ? null
        : { userId: user.id, isSuperuser: false, createAs: user.name }
    },
  })
}

// Next loads modules once per bundle and again after each edit; all of them share one engine.
const shared = globalThis as { flowEngine?: FlowService }
export const engine = (shared.flowEngine ??= create())
