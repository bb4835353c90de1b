import type { AddressInfo } from 'node:net'
import express, { type NextFunction, type Request, type Response } from 'express'
import { expressHandler } from '@x/http-adapters/express'
import { createScimService, type ScimContext } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'

const PORT = Number(process.env['PORT'] ?? 3000)

/** The host's customers by the key configured in their identity provider. */
const CUSTOMERS: ReadonlyMap<string, string> = new Map([
  ['key-of-acme', 'acme'],
  ['key-of-globex', 'globex'],
])

const scim = createScimService({
  store: createMemoryScimStore(),
  baseUrl: `https://app.example/scim/v2`,
  // Never called: the middleware below rejects requests without a customer.
  auth: { kind: 'host', authenticate: () => null },
})
// A listener of provisioning changes, where the app would end the user's sessions.
scim.events.on('user.deactivated', ({ id }) => console.log(`deactivated ${id}`))

const app = express()
app.get('/', (_request, response) => void response.send('The app itself\n'))
app.use('/scim/v2', requireCustomer, expressHandler(scim.handle, { context: contextOf }))

const server = app.listen(PORT, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`Listening on http://127.0.0.1:${port}`)
})

/** The app's existing authentication: any middleware. */
function requireCustomer(request: Request, response: Response, next: NextFunction): void {
  const customer = CUSTOMERS.get(request.get('x-customer-key') ?? '')
  if (customer === undefined) {
    response.status(401).json({ error: 'Send a customer key' })
    return
  }
  response.locals['customer'] = customer
  next()
}

/** Each customer is a tenant with its own users and groups. */
function contextOf(request: Request): ScimContext {
  const customer = String(request.res?.locals['customer'])
  return {
    tenant: customer,
    principal: {
      id: customer,
      tenant: customer,
      kind: 'host',
      scopes: ['users:read', 'users:write', 'groups:read', 'groups:write'],
    },
  }
}
