import { open, type FileHandle } from 'node:fs/promises'
import type { ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'

/** One write of a transaction: what was called, with what. */
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
 * Keeps everything in memory and every committed transaction as one line of a file, which is replayed
 * when it is opened. A transaction is committed when its line is on the disk. For the one process of
 * a small app; a line that a crash cut off is a transaction that was never acknowledged.
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
      // Inside of the transaction: when the line cannot be written, memory rolls back.
      if (calls.length > 0) size += await append(file, calls, size)
      return result
    })

  return { ...autoCommitted(memory, transaction), transaction, close: () => file.close() }
}

/** Plays complete lines; the number of their bytes. */
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

/** A write that fails half way is taken back, so that the next line begins where it should. */
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

/** The store of a transaction, which writes down what has been written through it. */
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

/** Outside of transactions: each write is a transaction of its own. */
function autoCommitted(memory: ScimStore, transaction: ScimStore['transaction']): Nouns {
  return eachNoun(
    memory,
    (noun, method) =>
      (...args) =>
        transaction(String(args[0]), (tx) => apply(tx, [noun, method, args])),
  )
}

type Method = (...args: unknown[]) => Promise<unknown>

/** The nouns of a store with another function for each write; reads stay as they are. */
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

/** Dates are texts in the file: those of records by name, that of `members.add` by its place. */
function reviveDate(key: string, value: unknown): unknown {
  if (DATES.has(key) && typeof value === 'string') return new Date(value)
  const isAdd = Array.isArray(value) && value[0] === 'members' && value[1] === 'add'
  if (!isAdd) return value
  const [tenant, groupId, memberIds, at] = value[2] as unknown[]
  return ['members', 'add', [tenant, groupId, memberIds, new Date(String(at))]]
}
