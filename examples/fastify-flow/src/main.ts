import Fastify from 'fastify'
import { createFlowService } from '@x/flow-service'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { fastifyPlugin } from '@x/http-adapters/fastify'
import { shout } from './shout.ts'

const PORT = Number(process.env['PORT'] ?? 3000)

/** The app's existing users by session. */
const SESSIONS: ReadonlyMap<string, { readonly id: string; readonly name: string }> = new Map([
  ['session-of-ada', { id: '6a7c1f0e-52c4-4f0a-9b1e-0d9a4b1f7c01', name: 'ada' }],
  ['session-of-grace', { id: '6a7c1f0e-52c4-4f0a-9b1e-0d9a4b1f7c02', name: 'grace' }],
])

const engine = createFlowService({
  store: createMemoryFlowStore(),
  files: createMemoryBlobStore(),
  secretKey: 'at least 32 characters of your own secret',
  components: createRegistry([...builtinComponents, shout]),
  authenticate(request) {
    const session = /(?:^|; )session=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''
    const user = SESSIONS.get(session)
    // Flows belong to users of the service, which creates a user at the first request of each app user.
    return user === undefined ? null : { userId: user.id, isSuperuser: false, createAs: user.name }
  },
})

// Without it, Fastify waits without end for a slow body.
const app = Fastify({ requestTimeout: 300_000 })
app.get('/', () => 'The app itself\n')
await app.register(fastifyPlugin(engine.handler), { prefix: '/api' })
app.addHook('onClose', () => engine.close())
console.log(`Listening on ${await app.listen({ port: PORT, host: '127.0.0.1' })}`)
