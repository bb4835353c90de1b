import { yieldToEventLoop } from '@x/wire'
import { ScimError } from '../base/errors.ts'
import { fold } from '../base/fold.ts'
import type { KeysetPosition } from '../store/list-query.ts'
import type { ScimStore } from '../store/scim-store.ts'

/** A person of the directory's own list; one of the two names is needed. */
export interface DirectoryRow {
  readonly userName?: string | undefined
  readonly externalId?: string | undefined
  /** Default: not compared. */
  readonly active?: boolean | undefined
}

/** A user that the comparison names. */
export interface ComparedUser {
  readonly id: string
  readonly userName: string
  readonly externalId: string | null
  readonly active: boolean
}

/** How many there are, and the first of them. */
export interface Found<Row> {
  readonly count: number
  readonly rows: readonly Row[]
}

export interface DirectoryComparison {
  /** Users of the tenant. */
  readonly total: number
  /** True if most of ten or more active users are not listed: the wrong list is likelier than that many leavers. */
  readonly suspicious: boolean
  /** Active here, and absent from the list. */
  readonly notListed: Found<ComparedUser>
  /** In the list, and not here. */
  readonly unknown: Found<DirectoryRow>
  /** Listed with another `active` than here. */
  readonly different: Found<ComparedUser>
}

export interface CompareOptions {
  readonly store: Pick<ScimStore, 'users'>
  readonly tenant: string
  /** The directory's list, read once. */
  readonly rows: Iterable<DirectoryRow> | AsyncIterable<DirectoryRow>
  /** Maximum rows of the list. Default 1,000,000. */
  readonly maxRows?: number
  /** When the list was taken: users created later are not missed. Default: now. */
  readonly takenAt?: Date
  /** Called with each user that the list could name: whether it does, or the user is not active. */
  readonly onUser?: (id: string, isListed: boolean) => void
}

/** Rows that each part of the answer holds at most. */
const MAX_ROWS = 1_000
const PAGE = 1_000
const MIN_SUSPICIOUS = 10

/**
 * Compares the users of a tenant with the directory's list of them, and changes nothing: who is still active
 * although the directory has dropped them? One user counts as one row by userName, ignoring case, or by
 * externalId. The time grows with both lists, and the memory with the directory's.
 * @throws ScimError invalidValue for a row without a name; tooMany above `maxRows`
 */
export async function compareDirectory({
  store,
  tenant,
  rows,
  maxRows = 1_000_000,
  takenAt,
  onUser,
}: CompareOptions): Promise<DirectoryComparison> {
  const list = await readList(rows, maxRows)
  const notListed = createFound<ComparedUser>()
  const different = createFound<ComparedUser>()
  let total = 0
  let active = 0
  for await (const user of usersOf(store, tenant)) {
    total += 1
    if (user.active) active += 1
    const row = list.find(user)
    const isLater = takenAt !== undefined && user.created > takenAt
    const isMissed = row === undefined && user.active && !isLater
    if (row !== undefined || !isLater) onUser?.(user.id, !isMissed)
    if (isMissed) {
      const { created: _created, ...shown } = user
      notListed.add(shown)
    } else if (row === undefined) continue
    else if (row.active !== undefined && row.active !== user.active) {
      const { created: _created, ...shown } = user
      different.add(shown)
    }
  }
  const unknown = createFound<DirectoryRow>()
  for (const row of list.unseen()) unknown.add(row)
  return {
    total,
    suspicious: active >= MIN_SUSPICIOUS && notListed.count * 2 > active,
    notListed: notListed.found(),
    unknown: unknown.found(),
    different: different.found(),
  }
}

async function readList(rows: CompareOptions['rows'], maxRows: number) {
  const all: DirectoryRow[] = []
  const byName = new Map<string, number>()
  const byExternalId = new Map<string, number>()
  for await (const { userName, externalId, active } of rows) {
    if (!userName && !externalId)
      throw new ScimError(
        'invalid_value',
        `Row ${all.length + 1} has no userName and no externalId.`,
      )
    if (all.length === maxRows)
      throw new ScimError('too_many', `The list has more than ${maxRows} rows.`)
    if (userName) byName.set(fold(userName.trim()), all.length)
    if (externalId) byExternalId.set(externalId, all.length)
    all.push({ userName, externalId, active })
    if (all.length % PAGE === 0) await yieldToEventLoop()
  }
  const seen = new Uint8Array(all.length)
  return {
    find({ userName, externalId }: ComparedUser): DirectoryRow | undefined {
      const places = [
        byName.get(fold(userName)),
        externalId === null ? undefined : byExternalId.get(externalId),
      ].filter((place) => place !== undefined)
      for (const place of places) seen[place] = 1
      const [first] = places
      return first === undefined ? undefined : all[first]
    },
    *unseen(): Generator<DirectoryRow> {
      for (const [place, row] of all.entries()) if (seen[place] === 0) yield row
    },
  }
}

/** All users of a tenant, in pages, by a position that does not skip over those before. */
async function* usersOf(
  { users }: CompareOptions['store'],
  tenant: string,
): AsyncGenerator<ComparedUser & { readonly created: Date }> {
  let after: KeysetPosition | undefined
  for (;;) {
    const position = after === undefined ? {} : { after }
    const { records } = await users.list(tenant, { limit: PAGE, withTotal: false, ...position })
    for (const { id, userName, externalId, active, created } of records)
      yield { id, userName, externalId, active: active === true, created }
    const last = records.at(-1)
    if (last === undefined || records.length < PAGE) return
    after = { created: last.created, id: last.id, key: null }
    await yieldToEventLoop()
  }
}

function createFound<Row>() {
  const rows: Row[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    add(row: Row): void {
      count += 1
      if (rows.length < MAX_ROWS) rows.push(row)
    },
    found: (): Found<Row> => ({ count, rows }),
  }
}
