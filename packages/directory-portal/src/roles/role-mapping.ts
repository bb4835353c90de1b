import type { OnGroupWrite, OnUserWrite } from '@x/scim-core'
import type { RoleSettings, RoleTransaction } from '../store/role-store.ts'
import type { PortalStore } from '../store/portal-store.ts'
import { firstPage, jobOf, nextPage, type RoleJob } from './role-job.ts'
import { rolesOf, sameRoles } from './roles-of.ts'

/** A role of the host's product. */
export interface PortalRole {
  readonly value: string
  /** As administrators know it. Default: the value. */
  readonly name?: string
  readonly description?: string
}

/** The roles of a person before and after a change, sorted. */
export interface RolesChange {
  readonly tenant: string
  readonly userId: string
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** The members of a group, the rules, or the person, such as by deactivation. */
  readonly cause: 'members' | 'rules' | 'user'
}

export interface RoleMappingOptions {
  readonly store: PortalStore
  /** The only roles that rules can give. */
  readonly roles: readonly PortalRole[]
  /**
   * Called in the transaction of the change, of which `transaction` is the store's handle; throwing rolls it
   * back.
   */
  readonly onRolesChange?: (change: RolesChange, transaction: unknown) => void | Promise<void>
  /** Called when rules cannot be applied; `apply` tries again. */
  readonly onError?: (error: unknown) => void
}

/** People whose roles differ; null: more than 10,000 people would have to be looked at. */
export interface RoleChanges {
  readonly total: number | null
  /** At most 20. */
  readonly sample: readonly Pick<RolesChange, 'userId' | 'before' | 'after'>[]
}

/** The rules of a tenant. */
export interface RoleState extends Pick<RoleSettings, 'rules' | 'default'> {
  /** How many people have been looked at since the rules changed; null: they are applied. */
  readonly applying: { readonly done: number; readonly total: number } | null
}

/** Gives people roles by the groups that they are direct members of. */
export interface RoleMapping {
  readonly roles: readonly PortalRole[]
  /** For the SCIM store. */
  readonly onGroupWrite: OnGroupWrite<unknown>
  /** For the SCIM store. */
  readonly onUserWrite: OnUserWrite<unknown>
  /** The roles of a person, sorted; `handle`: a transaction of the SCIM store, such as that of a sign-in. */
  of(tenant: string, userId: string, handle?: unknown): Promise<readonly string[]>
  read(tenant: string): Promise<RoleState>
  /** What `replace` would change, without changing it. */
  preview(tenant: string, rules: Pick<RoleSettings, 'rules' | 'default'>): Promise<RoleChanges>
  /** Saves the rules; people get their roles in the background, 1,000 at a time. */
  replace(tenant: string, rules: Pick<RoleSettings, 'rules' | 'default'>): Promise<RoleState>
  /** Which of the groups exist, with their names. */
  groups(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Goes on with rules whose process ended while it applied them. */
  apply(signal?: AbortSignal): Promise<void>
}

const LOOKED_AT = 10_000
const SAMPLE = 20
const TENANTS = 100
const NO_RULES: RoleSettings = { rules: [], default: null, applying: null }

/** @throws TypeError for roles without a value, or with one twice */
export function createRoleMapping(options: RoleMappingOptions): RoleMapping {
  const { store, roles, onRolesChange, onError = () => undefined } = options
  const values = new Set(roles.map(({ value }) => value))
  if (values.size !== roles.length || values.has('') || roles.some(({ value }) => !isText(value)))
    throw new TypeError('roles must have a value each, none of them twice')

  /** Tells the host which of these people have other roles now. */
  const tell = async (
    part: RoleTransaction,
    { tenant, ids, cause }: Pick<RolesChange, 'tenant' | 'cause'> & { ids: readonly string[] },
    settings: RoleSettings,
  ): Promise<void> => {
    const told = new Map<string, readonly string[]>()
    for (const change of await rolesOf(part, { tenant, ids, settings })) {
      if (sameRoles(change.before, change.after)) continue
      await onRolesChange?.({ tenant, cause, ...change }, part.handle)
      told.set(change.userId, change.after)
    }
    if (told.size > 0) await part.tell(tenant, told)
  }

  /** Looks at the next people of a tenant; false: none are left. */
  const step = (tenant: string): Promise<boolean> =>
    store.roles.within(undefined, async (part) => {
      const settings = await part.settings(tenant, 'update')
      const job = settings?.applying as RoleJob | null | undefined
      if (settings === null || job === null || job === undefined) return false
      const { ids, next } = await nextPage(part.directory, tenant, job)
      await tell(part, { tenant, ids, cause: 'rules' }, settings)
      await part.save(tenant, { ...settings, applying: next })
      return next !== null
    })
  const applyTo = async (tenant: string, signal?: AbortSignal): Promise<void> => {
    try {
      while (await step(tenant)) signal?.throwIfAborted()
    } catch (error) {
      if (signal?.aborted === true) throw error
      onError(error)
    }
  }

  return {
    roles,
    async onGroupWrite(change, handle) {
      if (change.kind !== 'members' && change.kind !== 'remove') return
      const isRemoved = change.kind === 'remove'
      const { tenant } = isRemoved ? change.before : change
      const groupId = isRemoved ? change.before.id : change.groupId
      await store.roles.within(handle, async (part) => {
        const settings = await part.settings(tenant, isRemoved ? 'update' : 'read')
        if (settings?.rules.some((rule) => rule.groupId === groupId) !== true) return
        if (isRemoved) {
          const rules = settings.rules.filter((rule) => rule.groupId !== groupId)
          await part.save(tenant, { ...settings, rules })
        } else {
          const ids = [...change.added, ...change.removed]
          await tell(part, { tenant, ids, cause: 'members' }, settings)
        }
      })
    },
    async onUserWrite({ kind, before, after }, handle) {
      const user = after ?? before
      if (user === null || kind === 'update') return
      await store.roles.within(handle, async (part) => {
        const { tenant, id } = user
        const settings = await part.settings(tenant, 'read')
        if (settings !== null) await tell(part, { tenant, ids: [id], cause: 'user' }, settings)
      })
    },
    of: async (tenant, userId, handle) =>
      (await store.roles.told(tenant, [userId], handle)).get(userId) ?? [],
    read: async (tenant) =>
      store.roles.within(undefined, async (part) => stateOf(await part.settings(tenant, 'read'))),
    preview: (tenant, wanted) =>
      store.roles.within(undefined, async (part) => {
        const known = (await part.settings(tenant, 'read')) ?? NO_RULES
        const settings = { ...wanted, applying: null }
        return await previewOf(part, tenant, { known, settings })
      }),
    async replace(tenant, wanted) {
      const saved = await store.roles.within(undefined, async (part) => {
        const known = (await part.settings(tenant, 'replace')) ?? NO_RULES
        const applying = await jobOf(part.directory, tenant, { known, wanted })
        const settings = { ...wanted, applying }
        await part.save(tenant, settings)
        return settings
      })
      if (saved.applying !== null) void applyTo(tenant)
      return stateOf(saved)
    },
    groups: (tenant, ids) =>
      store.roles.within(undefined, async ({ directory }) => {
        const found = await directory.groups.briefs(tenant, [...new Set(ids)])
        return new Map([...found].map(([id, { displayName }]) => [id, displayName]))
      }),
    async apply(signal) {
      for (const tenant of await store.roles.applying(TENANTS)) {
        signal?.throwIfAborted()
        await applyTo(tenant, signal)
      }
    },
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'

function stateOf(settings: RoleSettings | null): RoleState {
  const { rules, default: usual, applying } = settings ?? NO_RULES
  const job = applying as RoleJob | null
  return { rules, default: usual, applying: job && { done: job.done, total: job.total } }
}

async function previewOf(
  part: RoleTransaction,
  tenant: string,
  { known, settings }: { readonly known: RoleSettings; readonly settings: RoleSettings },
): Promise<RoleChanges> {
  const seen = new Set<string>()
  const sample: RoleChanges['sample'][number][] = []
  let total = 0
  let job: RoleJob | null = firstPage(known, settings)
  while (job !== null) {
    if (seen.size >= LOOKED_AT) return { total: null, sample }
    const page: Awaited<ReturnType<typeof nextPage>> = await nextPage(part.directory, tenant, job)
    const ids = page.ids.filter((id) => !seen.has(id))
    for (const id of ids) seen.add(id)
    for (const change of await rolesOf(part, { tenant, ids, settings })) {
      if (sameRoles(change.before, change.after)) continue
      total += 1
      if (sample.length < SAMPLE) sample.push(change)
    }
    job = page.next
  }
  return { total, sample }
}
