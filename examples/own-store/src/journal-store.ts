import { open, type FileHandle } from 'node:fs/promises'
import type { ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'

/** One write of a transaction: the called method and its arguments. */
type Call = readonly [noun: string, method: string, args: readonly unknown[]]

type Nouns = Omit<ScimStore, 'transaction'>

const WRITES: ReadonlySet<string> = new Set([
  'insert',
  'update',
  'remove',
  'add',
  'clear',
  'removeUser',
])
const DATES: ReadonlySet<string> = new Set(['created', 'lastModified', 'deletedAt'])

/** A store of users and groups whose journal is a file. */
export interface JournalStore extends ScimStore {
  close(): Promise<void>
}

/**
 * Keeps all records in memory and writes each committed transaction as one line of a file, which is
 * replayed on start. A transaction is committed once its line is on disk; a line cut off by a crash belongs
 * to a transaction that was never acknowledged. For small apps with a single process.
 */
export async function openJournalStore(path: string): Promise<JournalStore> {
  const memory = createMemoryScimStore()
  const file = await open(path, 'a+', 0o600)
  let size = await replay(file, memory)
  await file.truncate(size)

  const transaction: ScimStore['transaction'] = (tenant, work) =>
    memory.transaction(tenant, async (tx) => {
      const calls: Call[] = []
      const result = await work(recording(tx, calls))
      // Inside the transaction, so that memory rolls back if the line cannot be written.
      if (calls.length > 0) size += await append(file, calls, size)
      return result
    })

  return { ...autoCommitted(memory, transaction), transaction, close: () => file.close() }
}

/** Replays the complete lines; returns their size in bytes. */
async function replay(file: FileHandle, memory: ScimStore): Promise<number> {
  const bytes = await file.readFile()
  const end = bytes.lastIndexOf('\n') + 1
  for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) {
    if (line === '') continue
    const calls = JSON.parse(line, reviveDate) as Call[]
    await memory.transaction('', async (tx) => {
      for (const call of calls) await apply(tx, call)
    })
  }
  return end
}

/** A partial write is truncated, so that the next line starts at the right offset. */
async function append(file: FileHandle, calls: readonly Call[], size: number): Promise<number> {
  const line = Buffer.from(`${JSON.stringify(calls)}\n`)
  try {
    await file.appendFile(line)
    await file.datasync()
  } catch (error) {
    await file.truncate(size)
    throw error
  }
  return line.length
}

/** Records all writes made through the store of a transaction. */
function recording(tx: ScimStore, calls: Call[]): ScimStore {
  const bound: ScimStore = {
    ...eachNoun(tx, (noun, method, call) => async (...args) => {
      const result = await call(...args)
      calls.push(structuredClone([noun, method, args]))
      return result
    }),
    transaction: (_tenant, work) => work(bound),
  }
  return bound
}

/** Outside a transaction each write is its own transaction. */
function autoCommitted(memory: ScimStore, transaction: ScimStore['transaction']): Nouns {
  return eachNoun(
    memory,
    (noun, method) =>
      (...args) =>
        transaction(String(args[0]), (tx) => apply(tx, [noun, method, args])),
  )
}

type Method = (...args: unknown[]) => Promise<unknown>

/** Wraps each write method of a store; reads stay unchanged. */
function eachNoun(
  store: ScimStore,
  wrap: (noun: string, method: string, call: Method) => Method,
): Nouns {
  const { users, groups, members } = store
  const wrapped = Object.entries({ users, groups, members }).map(([noun, methods]) => [
    noun,
    Object.fromEntries(
      Object.entries(methods).map(([method, call]: [string, Method]) => [
        method,
        WRITES.has(method) ? wrap(noun, method, call) : call,
      ]),
    ),
  ])
  return Object.fromEntries(wrapped) as Nouns
}

function apply(tx: ScimStore, [noun, method, args]: Call): Promise<unknown> {
  const { users, groups, members } = tx
  const methods =
    new Map<string, object>(Object.entries({ users, groups, members })).get(noun) ?? {}
  const call = new Map<string, Method>(Object.entries(methods)).get(method)
  if (call === undefined) throw new TypeError(`The journal has no ${noun}.${method}`)
  return call(...args)
}

/** Dates are strings in the file. Those of records are found by name, that of `members.add` by position. */
function reviveDate(key: string, value: unknown): unknown {
  if (DATES.has(key) && typeof value === 'string') return new Date(value)
  const isAdd = Array.isArray(value) && value[0] === 'members' && value[1] === 'add'
  if (!isAdd) return value
  const [tenant, groupId, memberIds, at] = value[2] as unknown[]
  return ['members', 'add', [tenant, groupId, memberIds, new Date(String(at))]]
}
