export { embedded } from './node/embedded.ts'
export { createGuardedFetch } from './node/guarded-fetch.ts'
export {
  createSandboxQueue,
  type SandboxQueueOptions,
  type UserQueue,
  type UserQueueOptions,
} from './node/user-queue.ts'
export { AddressBlockedError } from './outgoing/address-blocked.ts'
export type { GuardedFetchOptions } from './outgoing/fetch-options.ts'
