import { recordData, cacheParsedData, type ScimDocument } from '../base/document.ts'
import { invalidValue, notFound, ScimError } from '../base/errors.ts'
import { fold } from '../base/fold.ts'
import type { ResourceWrite, ScimResourceType } from '../options/resource-type.ts'
import { applySteps, changedNames } from '../patch/apply.ts'
import { planPatch } from '../patch/normalize.ts'
import { checkImmutable, checkRequired, readResource } from '../schema/read-resource.ts'
import { findAttribute, type ResourceSchema } from '../schema/registry.ts'
import type { ResourceRecord, ResourceStore } from '../store/resources.ts'
import type { ScimStore } from '../store/scim-store.ts'
import { laterThan, readContext, type Call, type Rules } from './call.ts'
import { assertMatch } from './entity-tag.ts'
import { changePayload, documents, pending, type PendingEvent } from './pending-event.ts'
import { retryUnless } from './with-retry.ts'
import { callBeforeCommit, changeResource, unique } from './change-resource.ts'

/** Writes of a host's own type: the rules of groups without members. */
export interface ResourceRules {
  create(call: Call, body: unknown): Promise<ResourceRecord>
  replace(call: Call, id: string, body: unknown): Promise<ResourceRecord>
  patch(call: Call, id: string, operations: () => readonly unknown[]): Promise<ResourceRecord>
  delete(call: Call, id: string): Promise<void>
}

export function createResourceRules(
  rules: Rules,
  type: ScimResourceType,
  schema: ResourceSchema,
): ResourceRules {
  const { config } = rules
  const { name } = type

  /** The type's store; within a transaction the transaction's, if they share a database. */
  const storeOf = (tx: ScimStore): WritableStore => {
    const isShared = config.store.resources?.(name) === type.store
    return writable((isShared ? tx.resources?.(name) : undefined) ?? type.store)
  }
  const existing = async (tx: ScimStore, call: Call, id: string): Promise<ResourceRecord> => {
    const record = await storeOf(tx).get(call.tenant, id)
    if (record === null) throw notFound(name, id)
    assertMatch(call, record.version)
    return record
  }
  const ask = (
    scope: { readonly call: Call; readonly tx: ScimStore },
    kind: 'create' | 'update' | 'delete',
    before: ResourceRecord | null,
    after: ResourceRecord | null,
  ): Promise<void> => {
    const { presenter } = scope.call
    return callBeforeCommit(rules, scope, {
      kind,
      resourceType: name,
      before: before && (() => presenter.resource(name, before)),
      after: after && (() => presenter.resource(name, after)),
      members: null,
    })
  }
  const changeEvent = (
    { presenter }: Call,
    change: {
      readonly before: ResourceRecord
      readonly after: ResourceRecord
      readonly changed: readonly string[]
      readonly op: 'put' | 'patch'
    },
  ): PendingEvent => {
    const { before, after, changed, op } = change
    const payload = () =>
      changePayload(changed, {
        before: () => presenter.resource(name, before),
        after: () => presenter.resource(name, after),
      })
    return pending('resource.updated', after.id, payload, { resourceType: name, op })
  }

  const complete = async (
    { call: { tenant }, tx }: { readonly call: Call; readonly tx: ScimStore },
    write: Pick<ResourceWrite, 'id' | 'isNew'>,
    given: ScimDocument,
  ): Promise<ScimDocument> => {
    const place = { ...write, tenant, directory: tx, store: storeOf(tx) }
    const document = type.complete === undefined ? given : await type.complete(given, place)
    checkRequired(document, schema)
    return document
  }

  const update = (
    call: Call,
    { id, op }: { readonly id: string; readonly op: 'put' | 'patch' },
    next: (before: ScimDocument) => ScimDocument,
  ): Promise<ResourceRecord> =>
    changeResource(rules, call, async (tx) => {
      const before = await existing(tx, call, id)
      const old = documentOf(before)
      const document = await complete({ call, tx }, { id, isNew: false }, next(old))
      const changed = changedNames(old, document)
      if (changed.length === 0) return { result: before, events: [] }
      const after: ResourceRecord = {
        ...before,
        ...fieldsOf(document, type, schema),
        lastModified: laterThan(before.lastModified, call.now),
        version: before.version + 1,
      }
      cacheParsedData(after, withoutFields(document))
      const written = await unique('value', () =>
        storeOf(tx).update(call.tenant, after, before.version),
      )
      retryUnless(written)
      await ask({ call, tx }, 'update', before, after)
      call.trace.changed = changed
      return { result: after, events: [changeEvent(call, { before, after, changed, op })] }
    })

  return {
    async create(call, body) {
      const { attributes } = readResource(body, schema, readContext(rules, call))
      const id = config.runtime.uuid()
      return changeResource(rules, call, async (tx) => {
        const document = await complete({ call, tx }, { id, isNew: true }, attributes)
        const record: ResourceRecord = {
          tenant: call.tenant,
          id,
          ...fieldsOf(document, type, schema),
          created: call.now,
          lastModified: call.now,
          version: 1,
        }
        await unique('value', () => storeOf(tx).insert(call.tenant, record))
        await ask({ call, tx }, 'create', null, record)
        const payload = () => documents({ after: () => call.presenter.resource(name, record) })
        const created = pending('resource.created', record.id, payload, { resourceType: name })
        call.trace.resourceId = id
        call.trace.changed = Object.keys(document)
        return { result: record, events: [created] }
      })
    },

    replace: (call, id, body) =>
      update(call, { id, op: 'put' }, (before) => {
        const { attributes } = readResource(body, schema, readContext(rules, call))
        checkImmutable(before, attributes, schema)
        return attributes
      }),

    patch: (call, id, operations) =>
      update(call, { id, op: 'patch' }, (before) => {
        const context = readContext(rules, call)
        return applySteps(before, planPatch(operations(), schema, context), context)
      }),

    async delete(call, id) {
      await changeResource(rules, call, async (tx) => {
        const before = await existing(tx, call, id)
        await storeOf(tx).remove(call.tenant, id)
        await ask({ call, tx }, 'delete', before, null)
        const gone = pending('resource.deleted', id, () => ({}), { resourceType: name })
        return { result: undefined, events: [gone] }
      })
    },
  }
}

type WritableStore = Required<Omit<ResourceStore, 'list' | 'snapshot'>>

/** Operations a store lacks have no route, but a bulk request may contain them. */
function writable(store: ResourceStore): WritableStore {
  const refused = (): ScimError =>
    new ScimError('method_not_allowed', 'The resources of this type cannot be changed like that.')
  return {
    get: (tenant, id) => store.get(tenant, id),
    async insert(...args) {
      if (store.insert === undefined) throw refused()
      await store.insert(...args)
    },
    async update(...args) {
      if (store.update === undefined) throw refused()
      return store.update(...args)
    },
    async remove(...args) {
      if (store.remove === undefined) throw refused()
      return store.remove(...args)
    },
  }
}

/** All writable attributes of a resource. */
function documentOf(record: ResourceRecord): ScimDocument {
  const { externalId } = record
  return { ...(externalId !== null && { externalId }), ...recordData(record) }
}

function withoutFields({ externalId: _externalId, ...rest }: ScimDocument): ScimDocument {
  return rest
}

function fieldsOf(
  document: ScimDocument,
  { unique: names = [] }: ScimResourceType,
  schema: ResourceSchema,
): Pick<ResourceRecord, 'externalId' | 'uniqueKeys' | 'data'> {
  const { externalId } = document
  const keys: Record<string, string> = {}
  for (const wanted of names) {
    const attribute = findAttribute(schema.attributes, wanted)
    const value = attribute && document[attribute.name]
    if (attribute === undefined || value === undefined) continue
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw invalidValue(`The attribute ${wanted} must be one value.`)
    }
    const text = String(value)
    keys[attribute.name] = attribute.caseExact ? text : fold(text)
  }
  return {
    externalId: typeof externalId === 'string' ? externalId : null,
    uniqueKeys: keys,
    data: JSON.stringify(withoutFields(document)),
  }
}
