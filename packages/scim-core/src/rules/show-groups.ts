import { append, yieldToEventLoop } from '@x/wire'
import { ScimError } from '../base/errors.ts'
import type { BodyText } from '../resource/body-text.ts'
import type { ScimDocument } from '../base/document.ts'
import type { Projection } from '../resource/project.ts'
import type { GroupRecord } from '../store/groups.ts'
import type { MemberRow } from '../store/members.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { Call } from './call.ts'
import { MEMBER_PAGE, memberPages } from './member-pages.ts'

/** The groups to show, and their projection. */
export interface ShownGroups {
  readonly records: readonly GroupRecord[]
  readonly projection: Projection
  /** Maximum number of members in a response. */
  readonly membersPerAnswer: number
}

/** Maximum number of members for which a response is built as a whole. */
const BUILT = 10_000

/**
 * Serialises groups; members are read only if the projection includes them. Groups with more than 10,000
 * members in total are streamed page by page, with a turn of the event loop in between.
 * @throws ScimError tooMany, before anything is streamed
 */
export async function showGroups(
  store: ScimStore,
  call: Call,
  { records, projection, membersPerAnswer }: ShownGroups,
): Promise<BodyText[]> {
  const show = (record: GroupRecord): GroupToShow => ({ store, call, record, projection })
  if (!projection.includes('members')) return records.map((record) => textOf(show(record)))
  const few = await readTogether(store, call, records)
  if (few !== null) return wholeTexts(few, { records, show, membersPerAnswer })
  const texts: BodyText[] = []
  let members = 0
  let sinceTurn = 0
  for (const [index, record] of records.entries()) {
    if (sinceTurn >= MEMBER_PAGE) {
      await yieldToEventLoop()
      sinceTurn = 0
    }
    const rows = await readUpTo(show(record), BUILT - members)
    if (rows === null) {
      const rest = records.slice(index)
      await assertFew(store, call, { rest, members, membersPerAnswer })
      return [...texts, ...rest.map((each) => ({ parts: () => streamed(show(each)) }))]
    }
    members += rows.length
    sinceTurn += rows.length
    texts.push(textOf(show(record), rows))
  }
  if (members > membersPerAnswer) throw tooMany(membersPerAnswer)
  return texts
}

type MembersOfGroups = ReadonlyMap<string, readonly MemberRow[]>

/**
 * Reads the members of all groups of a page with one query; null if there are too many for that.
 */
async function readTogether(
  { members }: ScimStore,
  { tenant }: Call,
  records: readonly GroupRecord[],
): Promise<MembersOfGroups | null> {
  if (records.length < 2 || members.ofGroups === undefined) return null
  const ids = records.map(({ id }) => id)
  return members.ofGroups(tenant, ids, BUILT)
}

async function wholeTexts(
  members: MembersOfGroups,
  {
    records,
    show,
    membersPerAnswer,
  }: {
    readonly records: readonly GroupRecord[]
    readonly show: (record: GroupRecord) => GroupToShow
    readonly membersPerAnswer: number
  },
): Promise<string[]> {
  const texts: string[] = []
  let total = 0
  let sinceTurn = 0
  for (const record of records) {
    const rows = members.get(record.id) ?? []
    total += rows.length
    if (total > membersPerAnswer) throw tooMany(membersPerAnswer)
    sinceTurn += rows.length
    if (sinceTurn >= MEMBER_PAGE) {
      await yieldToEventLoop()
      sinceTurn = 0
    }
    texts.push(textOf(show(record), rows))
  }
  return texts
}

interface GroupToShow {
  readonly store: ScimStore
  readonly call: Call
  readonly record: GroupRecord
  readonly projection: Projection
}

function textOf({ call, record, projection }: GroupToShow, rows?: readonly MemberRow[]): string {
  const members = rows?.map((row) => call.presenter.member(row))
  const text = call.presenter.group(record, members)
  const isWhole = projection.whole || (members === undefined && isBare(record, projection))
  return isWhole ? text : JSON.stringify(projection.apply(parse(text)))
}

/** True if a projection leaves out nothing but the members, and a group has no further attributes. */
function isBare({ data }: GroupRecord, projection: Projection): boolean {
  return data === '{}' && projection.leavesOutOnly('members')
}

const pagesOf = ({ store, call, record }: GroupToShow): AsyncGenerator<readonly MemberRow[]> =>
  memberPages(store.members, call.tenant, record.id)

/** All members of a group; null if there are more than `limit`. */
async function readUpTo(shown: GroupToShow, limit: number): Promise<readonly MemberRow[] | null> {
  const rows: MemberRow[] = []
  for await (const page of pagesOf(shown)) {
    append(rows, page)
    if (rows.length > limit) return null
  }
  return rows
}

async function assertFew(
  store: ScimStore,
  { tenant }: Call,
  {
    rest,
    members,
    membersPerAnswer,
  }: {
    readonly rest: readonly GroupRecord[]
    readonly members: number
    readonly membersPerAnswer: number
  },
): Promise<void> {
  let total = members
  for (const { id } of rest) {
    total += await store.members.count(tenant, id, membersPerAnswer + 1)
    if (total > membersPerAnswer) throw tooMany(membersPerAnswer)
    await yieldToEventLoop()
  }
}

function tooMany(limit: number): ScimError {
  return new ScimError(
    'too_many',
    `The answer would hold more than ${limit} members. Ask for fewer groups, or leave them out with excludedAttributes=members.`,
  )
}

/** Streams the JSON of a group; the same bytes as `textOf` with all members. */
async function* streamed(shown: GroupToShow): AsyncGenerator<string> {
  const frame = frameOf(shown)
  let isFirst = true
  for await (const page of pagesOf(shown)) {
    if (frame === null) break
    const texts = frame.elements(page)
    if (texts.length === 0) continue
    yield `${isFirst ? frame.head : ','}${texts.join(',')}`
    isFirst = false
  }
  yield isFirst || frame === null ? textOf(shown, []) : frame.tail
}

/** The text before and after the elements of `members`, and their format. */
interface Frame {
  readonly head: string
  readonly tail: string
  readonly elements: (rows: readonly MemberRow[]) => readonly string[]
}

/** JSON never contains unescaped control characters. */
const PLACE = '\u0001'
const PLACE_ID = 'place-of-members'

/** Null if the projection shows nothing of a member. */
function frameOf({ call, record, projection }: GroupToShow): Frame | null {
  const { presenter } = call
  if (projection.whole) {
    const [head = '', tail = ''] = presenter.group(record, [PLACE]).split(PLACE)
    return { head, tail, elements: (rows) => rows.map((row) => presenter.member(row)) }
  }
  const one = presenter.member({ id: PLACE_ID, type: 'User', display: PLACE_ID })
  const shown = projection.apply(parse(presenter.group(record, [one])))
  const [element] = listOf(shown['members'])
  if (element === undefined) return null
  const [head = '', tail = ''] = JSON.stringify({ ...shown, members: [PLACE] }).split(
    JSON.stringify(PLACE),
  )
  return {
    head,
    tail,
    elements: (rows) => {
      const members = rows.map((row) => parse(presenter.member(row)))
      const page = projection.apply({ schemas: shown['schemas'], id: record.id, members })
      return listOf(page['members']).map((member) => JSON.stringify(member))
    },
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

/** The JSON was created by the presenter, so it is an object. */
function parse(text: string): ScimDocument {
  return JSON.parse(text) as ScimDocument
}
