import { createFlowService, type FlowService } from '@x/flow-service'
import { createMemoryBlobStore } from '@x/flow-service/memory'
import { createMemoryFlowStore } from '@x/flow-service/memory'
import type { FlowEngineOptions } from '@x/flow-service'
import type { PasswordHasher } from '@x/flow-service'

/** A hasher that costs nothing: tests are about other things. */
export const cheapHasher: PasswordHasher = {
  hash: async (password) => `plain$${password}`,
  verify: async (password, hash) => hash === `plain$${password}`,
}

export const SECRET_KEY = 'a secret key of the tests, long enough'

type StoredOptions = FlowEngineOptions & Required<Pick<FlowEngineOptions, 'store' | 'files'>>

/** An engine in memory with the superuser `admin` / `admin-pass-1`. */
export async function createTestEngine(
  options: Partial<FlowEngineOptions> = {},
): Promise<FlowService & { readonly options: StoredOptions; readonly adminId: string }> {
  const complete: StoredOptions = {
    store: createMemoryFlowStore(),
    files: createMemoryBlobStore(),
    secretKey: SECRET_KEY,
    passwords: cheapHasher,
    ...options,
  }
  const engine = createFlowService(complete)
  const admin = await engine.services.users.create({
    username: 'admin',
    password: 'admin-pass-1',
    isActive: true,
    isSuperuser: true,
  })
  return { ...engine, options: complete, adminId: admin.id }
}
