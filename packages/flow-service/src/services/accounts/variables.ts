import { inParts } from '../records/in-parts.ts'
import { refuseTaken } from '../records/retry.ts'
import type { VariablePatch, VariableRecord } from '../../store/variables.ts'
import type { Caller } from '../base/caller.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { refuse } from '../../refusal.ts'

/** A variable as shown to its owner; `shown` depends on its type. */
export interface VariableView {
  readonly record: VariableRecord
  readonly shown: string | null
}

/** The data of a new variable. */
export interface NewVariable {
  readonly name: string
  readonly value: string
  readonly type: string | null
  readonly defaultFields: readonly string[] | null
}

/** Changes to a variable; undefined leaves a field unchanged. */
export interface VariableChanges {
  readonly name?: string | undefined
  readonly value?: string | undefined
  readonly defaultFields?: readonly string[] | null | undefined
}

/** Variables of users. */
export interface VariableService {
  list(caller: Caller): AsyncIterable<readonly VariableView[]>
  /** @throws Refusal 400 */
  create(caller: Caller, input: NewVariable): Promise<VariableView>
  /** @throws Refusal 400, 404 */
  update(
    caller: Caller,
    ids: { path: string; body: string },
    changes: VariableChanges,
  ): Promise<VariableView>
  /** @throws Refusal 404 */
  remove(caller: Caller, id: string): Promise<void>
  /**
   * The clear-text value for a run; null if it does not exist.
   * @throws Refusal 400 if it was encrypted with another secret key, so that no other source takes its place
   */
  read(userId: string, name: string): Promise<string | null>
  /** The clear-text value and type; null if it does not exist or cannot be decrypted. */
  resolve(userId: string, name: string): Promise<{ value: string; type: string } | null>
  /** True for a Generic variable, whose value its owner may see. */
  isText(userId: string, name: string): Promise<boolean>
  /** The first name of a variable whose default fields hold a display name. */
  forField(userId: string, field: string): Promise<string | null>
  /** The names of all variables, and the first name for each display name among their default fields. */
  namesOf(userId: string): Promise<{
    readonly names: ReadonlySet<string>
    readonly kept: ReadonlyMap<string, string>
  }>
}

const NOT_FOUND = 'Variable not found'
const TAKEN = 'Variable name already exists'
/** Characters that are decrypted for one part. */
const PART = 512 * 1024

export function createVariableService({
  store,
  secrets,
  runtime,
  userLimits,
}: ServiceDependencies): VariableService {
  const namesOf: VariableService['namesOf'] = async (userId) => {
    const all = await store.variables.list(userId)
    const sorted = all.toSorted((a, b) => (pointsOf(a.name) < pointsOf(b.name) ? -1 : 1))
    const kept = new Map<string, string>()
    for (const { name, defaultFields } of sorted)
      for (const field of defaultFields ?? []) if (!kept.has(field)) kept.set(field, name)
    return { names: new Set(sorted.map(({ name }) => name)), kept }
  }
  return {
    async *list({ id }) {
      const { variables } = store
      for await (const records of inParts(variables.parts?.(id), () => variables.list(id))) {
        let views: VariableView[] = []
        let opened = 0
        for (const record of records) {
          const isShown = record.type === 'Generic'
          views.push({ record, shown: isShown ? await secrets.open(record.value, id) : null })
          opened += isShown ? record.value.length : 0
          if (opened < PART) continue
          yield views
          views = []
          opened = 0
        }
        yield views
      }
    },
    async create(caller, { name, value, type, defaultFields }) {
      checkFilled(name, value)
      const now = runtime.now()
      const record: VariableRecord = {
        id: runtime.uuid(),
        userId: caller.id,
        name,
        type: type === null || type === '' ? 'Credential' : type,
        value: await secrets.seal(value, caller.id),
        defaultFields: defaultFields ?? [],
        createdAt: now,
        updatedAt: now,
      }
      await userLimits.within(caller.id, { kind: 'variables', added: 1 }, () =>
        refuseTaken('variable.name', TAKEN, () => store.variables.insert(record)),
      )
      return sealedView(record)
    },
    async update(caller, ids, { name, value, defaultFields }) {
      const known = await store.variables.get(caller.id, ids.path)
      if (known === null) throw refuse(404, NOT_FOUND)
      if (ids.body !== ids.path) {
        throw refuse(400, 'Variable id in the body does not match the path')
      }
      if (name === '') throw refuse(400, 'Variable name cannot be empty')
      const patch: VariablePatch = {
        updatedAt: runtime.now(),
        ...(name === undefined ? {} : { name }),
        ...((value ?? '') === '' ? {} : { value: await secrets.seal(value ?? '', caller.id) }),
        ...(defaultFields === undefined ? {} : { defaultFields }),
      }
      const record = await refuseTaken('variable.name', TAKEN, () =>
        store.variables.update(caller.id, ids.path, patch),
      )
      if (record === null) throw refuse(404, NOT_FOUND)
      return sealedView(record)
    },
    async remove(caller, id) {
      if (!(await store.variables.remove(caller.id, id))) throw refuse(404, NOT_FOUND)
    },
    async resolve(userId, name) {
      const record = await store.variables.findByName(userId, name)
      const value = record === null ? null : await secrets.open(record.value, userId)
      return record === null || value === null ? null : { value, type: record.type }
    },
    async read(userId, name) {
      const record = await store.variables.findByName(userId, name)
      if (record === null) return null
      const value = await secrets.open(record.value, userId)
      if (value === null) throw refuse(400, unreadable(name))
      return value
    },
    isText: async (userId, name) =>
      (await store.variables.findByName(userId, name))?.type === 'Generic',
    forField: async (userId, field) => (await namesOf(userId)).kept.get(field) ?? null,
    namesOf,
  }
}

/** Sorts names by code point. */
function pointsOf(name: string): string {
  const points = Array.from(name, (point) => (point.codePointAt(0) ?? 0).toString(16))
  return points.map((point) => point.padStart(6, '0')).join('')
}

function unreadable(name: string): string {
  return `The variable ${name} was encrypted with another secret key: store it again, or give the old key as SERVICE_SECRET_KEY_PREVIOUS.`
}

/** The response to create and update: never the clear-text value, and no value at all for a Credential. */
function sealedView(record: VariableRecord): VariableView {
  return { record, shown: record.type === 'Credential' ? null : record.value }
}

function checkFilled(name: string, value: string): void {
  if (name === '' && value === '') {
    throw refuse(400, 'Variable name and value cannot be empty')
  }
  if (name === '') throw refuse(400, 'Variable name cannot be empty')
  if (value === '') throw refuse(400, 'Variable value cannot be empty')
}
