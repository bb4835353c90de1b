import { clientNetworkOf, isResponse, type Runtime } from '@x/wire'
import type { HostContext, KeyAgents } from '../../options.ts'
import { refuse } from '../../refusal.ts'
import { callerOf, type Caller } from '../../services/base/caller.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import { assertAgentActs } from '../../services/accounts/api-keys.ts'
import { anonymous } from '../route/anonymous.ts'
import type { Auth } from '../route/route.ts'
import { CHALLENGE, checkRights, unknownKey } from './authenticate.ts'

/** A body that took longer to arrive has its sender checked again. */
const SLOW_MS = 1_000

/**
 * Finds the caller of a request that began earlier.
 * @throws Refusal 401 if the user was deleted or blocked meanwhile, or their sign-in has ended; 401 or 403 if
 * their key was deleted
 */
export type CallerRevalidation = (caller: Caller, auth: Auth) => Promise<Caller>

/** Reads what can change while a body arrives; credentials that expire meanwhile stay valid for it. */
export function createCallerRevalidation({
  store,
  agents,
}: {
  readonly store: Pick<FlowStore, 'users' | 'refreshFamilies' | 'apiKeys'>
  readonly agents?: KeyAgents | undefined
}): CallerRevalidation {
  return async (caller, auth) => {
    const { id, via, isSuperuser, signInId = null, keyHash = null, record } = caller
    const [user, signIn, key] = await Promise.all([
      store.users.get(id),
      signInId === null ? null : store.refreshFamilies.get(signInId),
      keyHash === null ? null : store.apiKeys.findByHash(keyHash),
    ])
    if (user?.isActive !== true) throw refuse(401, 'User not found or is inactive.', CHALLENGE)
    if (keyHash !== null && !(key?.isActive === true && key.userId === id)) throw unknownKey(auth)
    if (key !== null) await assertAgentActs({ agents }, key)
    // AB-68: Auto Login tokens have no sign-in and depend on the user's epoch.
    const isToken = via === 'token' || via === 'cookie'
    const hasEnded =
      signInId === null ? isToken && user.tokenEpoch !== record.tokenEpoch : signIn?.userId !== id
    if (hasEnded) throw refuse(401, 'Could not validate credentials', CHALLENGE)
    // A host decides itself who is a superuser.
    return callerOf(user, via, { signInId, keyHash, ...(via === 'host' ? { isSuperuser } : {}) })
  }
}

export interface SenderOptions {
  readonly auth: Auth
  /** Undefined for operations that need no credentials. */
  readonly caller: Caller | undefined
  readonly callerRevalidation: CallerRevalidation
  /** Authenticates the request again, for callers that the host has named. */
  readonly askHost: () => Promise<Caller | Response | undefined>
  readonly runtime: Pick<Runtime, 'now'>
}

/** The sender of a request, checked again after a slow body, because it may have been blocked meanwhile. */
export class Sender {
  /** The caller as last checked. */
  caller: Caller | undefined
  readonly #options: SenderOptions
  readonly #begun: number

  constructor(options: SenderOptions) {
    this.#options = options
    this.caller = options.caller
    this.#begun = options.runtime.now().getTime()
  }

  /**
   * Called when the body has arrived.
   * @throws Refusal 401, 403
   */
  readonly arrived = async (): Promise<void> => {
    const { auth, callerRevalidation, askHost, runtime } = this.#options
    if (this.caller === undefined) return
    if (Math.abs(runtime.now().getTime() - this.#begun) < SLOW_MS) return
    const found = await callerRevalidation(this.caller, auth)
    const named = found.via === 'host' ? await askHost() : found
    if (named === undefined || isResponse(named) || named.id !== found.id)
      throw refuse(401, 'Could not validate credentials', CHALLENGE)
    this.caller = named
    checkRights(auth, this.caller)
  }
}

/** Names the client of a request for limits: a user, or the anonymous clients of a network. */
export function nameOfClient(caller: Caller, { clientAddress }: HostContext): string {
  if (caller !== anonymous) return `user ${caller.id}`
  return `network ${clientAddress === undefined ? '' : clientNetworkOf(clientAddress)}`
}
