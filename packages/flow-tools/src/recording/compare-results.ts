import { RecordingMismatch, type MismatchFacts } from './recording-mismatch.ts'
import type { ExpectedResult, ExpectedVertex, RecordedEntry } from './recording.ts'
import type { Miss } from './taped-services.ts'

export interface Comparison {
  readonly folder: string
  readonly expected: ExpectedResult
  readonly got: ExpectedResult
  readonly misses: readonly Miss[]
  readonly entries: readonly RecordedEntry[]
  readonly unused: readonly Unused[]
}

/** What was recorded and not asked: a request, or a question to a person. */
type Unused = RecordedEntry | { readonly kind: 'answer'; readonly vertexId: string }

/** The first difference in order of the run; undefined if there is none. */
export function compareResults(given: Comparison): RecordingMismatch | undefined {
  const { folder, expected, got, misses, unused } = given
  const byId = new Map(got.vertices.map((vertex) => [vertex.id, vertex]))
  const differs = (facts: Omit<MismatchFacts, 'folder'>): RecordingMismatch =>
    new RecordingMismatch({ folder, ...facts })
  for (const old of expected.vertices) {
    const miss = misses.find(({ vertexId }) => vertexId === old.id)
    if (miss !== undefined) return differs(missFacts(miss, old.name, given.entries))
    const facts = vertexMetadata(old, byId.get(old.id))
    if (facts !== undefined) return differs(facts)
  }
  const [miss] = misses
  if (miss !== undefined) {
    const name = byId.get(miss.vertexId)?.name ?? miss.vertexId
    return differs(missFacts(miss, name, given.entries))
  }
  const known = new Set(expected.vertices.map(({ id }) => id))
  const fresh = got.vertices.find(({ id }) => !known.has(id))
  if (fresh !== undefined)
    return differs({
      ...placeOf(fresh),
      kind: 'vertex',
      what: `${titleOf(fresh)} is new`,
      before: undefined,
      after: undefined,
    })
  if (expected.status !== got.status || !isEqual(expected.text, got.text)) {
    const isStatus = expected.status !== got.status
    const [before, after] = isStatus ? [expected.status, got.status] : [expected.text, got.text]
    return differs({
      kind: 'status',
      what: isStatus ? 'the status of the run differs' : 'the text of the run differs',
      before,
      after,
    })
  }
  const [left] = unused
  if (left === undefined) return undefined
  const owner = expected.vertices.find(({ id }) => id === left.vertexId)
  const title = owner === undefined ? 'The run' : titleOf(owner)
  return differs({
    ...(owner === undefined ? {} : placeOf(owner)),
    kind: 'unused',
    what:
      left.kind === 'answer'
        ? `${title} did not ask its recorded question`
        : `${title} did not send a recorded ${left.kind} request`,
    before: left.kind === 'answer' ? undefined : left.request,
    after: undefined,
  })
}

const placeOf = ({ id, name }: ExpectedVertex): { vertexId: string; displayName: string } => ({
  vertexId: id,
  displayName: name,
})
const titleOf = ({ id, name }: Pick<ExpectedVertex, 'id' | 'name'>): string => `${name} (${id})`

function vertexMetadata(
  old: ExpectedVertex,
  now: ExpectedVertex | undefined,
): Omit<MismatchFacts, 'folder'> | undefined {
  const title = titleOf(old)
  if (now === undefined)
    return {
      ...placeOf(old),
      kind: 'vertex',
      what: `${title} did not run`,
      before: undefined,
      after: undefined,
    }
  if (old.status !== now.status || !isEqual(old.error ?? null, now.error ?? null)) {
    const told = ({ status, error }: ExpectedVertex): string =>
      error === undefined ? status : `${status}: ${error}`
    return {
      ...placeOf(old),
      kind: 'status',
      what: `${title} differs, status`,
      before: told(old),
      after: told(now),
    }
  }
  for (const output of new Set([...Object.keys(old.outputs), ...Object.keys(now.outputs)])) {
    const [before, after] = [old.outputs[output], now.outputs[output]]
    if (!isEqual(before, after))
      return {
        ...placeOf(old),
        output,
        kind: 'value',
        what: `${title} differs, output ${output}`,
        before,
        after,
      }
  }
  return undefined
}

const SENT: Readonly<Record<Miss['kind'], string>> = {
  model: 'sent a model request',
  embedding: 'sent an embedding request',
  request: 'sent a request',
  answer: 'asked a question',
}

function missFacts(
  miss: Miss,
  name: string,
  entries: readonly RecordedEntry[],
): Omit<MismatchFacts, 'folder'> {
  const { vertexId, kind, request } = miss
  const alike = entries.filter((entry) => entry.kind === kind)
  const nearest = alike.find((entry) => entry.vertexId === vertexId) ?? alike[0]
  return {
    vertexId,
    displayName: name,
    kind: 'request',
    what: `${name} (${vertexId}) ${SENT[kind]} that is not recorded`,
    before: nearest?.request,
    after: request,
  }
}

const VARYING =
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?/gi

/** Equal but for times and ids. */
function isEqual(a: unknown, b: unknown): boolean {
  const [one, other] = [sortedText(a), sortedText(b)]
  return one === other || one.replaceAll(VARYING, '*') === other.replaceAll(VARYING, '*')
}

function sortedText(value: unknown): string {
  return JSON.stringify(value ?? null, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
