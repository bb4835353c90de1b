import { createScimHandler, type ScimOptions } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createScimClient, createTestRuntime, type ScimClient } from '@x/scim-core/testing'

export const BASE = 'https://host.example/api/v1/scim/v2'
export const TOKEN = 'secret-token'
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** A service in memory with a clock that stands still, and a client with its token. */
export function createScim(options: Partial<ScimOptions> = {}): ScimClient {
  return createScimClient(
    createScimHandler({
      store: createMemoryScimStore(),
      baseUrl: BASE,
      auth: { kind: 'token', token: TOKEN },
      runtime: createTestRuntime(),
      ...options,
    }),
    { token: TOKEN },
  )
}
