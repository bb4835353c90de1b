import { shownValue } from '../code/flow-difference.ts'
import { lineDifference } from '../code/line-difference.ts'

export interface MismatchFacts {
  /** As the user names it. */
  readonly folder: string
  readonly vertexId?: string
  readonly displayName?: string
  readonly output?: string
  readonly kind: 'value' | 'request' | 'vertex' | 'status' | 'unused'
  /** The first line after the folder. */
  readonly what: string
  readonly before: unknown
  readonly after: unknown
}

const MAX_LINES = 12

/** A replay differs from its recording; the message names the first difference in order of the run. */
export class RecordingMismatch extends Error {
  override readonly name = 'RecordingMismatch'
  readonly vertexId: string | undefined
  readonly displayName: string | undefined
  readonly output: string | undefined
  readonly kind: MismatchFacts['kind']
  readonly difference: string

  constructor(facts: MismatchFacts) {
    const { folder, kind, what, before, after } = facts
    const difference = differenceOf(before, after)
    const advice =
      kind === 'request'
        ? `Nothing was sent. Record it again: x-flow record --again ${folder}`
        : `Accept it: x-flow test --update ${folder}`
    super([`${folder}: ${what}`, difference, advice].filter((line) => line !== '').join('\n'))
    this.vertexId = facts.vertexId
    this.displayName = facts.displayName
    this.output = facts.output
    this.kind = kind
    this.difference = difference
  }
}

function differenceOf(before: unknown, after: unknown): string {
  if (before === undefined && after === undefined) return ''
  const [old, now] = [linesOf(before), linesOf(after)]
  const all = lineDifference(old, now)
  if (all === undefined) return '- (a long text)\n+ (another long text)'
  const lines = all
    .filter(({ sign }) => sign !== ' ' && !(sign === '-' && before === undefined))
    .map(({ sign, text }) => `${sign} ${text}`.trimEnd())
  return lines.length > MAX_LINES
    ? [...lines.slice(0, MAX_LINES), '...'].join('\n')
    : lines.join('\n')
}

/** A message as its text; requests as their messages and settings; else JSON. */
function linesOf(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'object' || value === null) return shownValue(value)
  const { text, messages, ...rest } = value as Readonly<Record<string, unknown>>
  const isPlain = typeof text === 'string' && Object.keys(rest).length === 0
  if (isPlain && messages === undefined) return text
  if (!Array.isArray(messages)) return JSON.stringify(value, null, 2)
  const turns = messages.map((message: unknown) => {
    const { role, content, ...more } = (message ?? {}) as Readonly<Record<string, unknown>>
    const said = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
    const extra = Object.keys(more).length === 0 ? '' : `\n${JSON.stringify(more, null, 2)}`
    return `${String(role)}: ${said}${extra}`
  })
  const settings = Object.keys(rest)
    .filter((name) => rest[name] !== undefined)
    .toSorted()
    .map((name) => `${name}: ${JSON.stringify(rest[name])}`)
  return [...turns, ...settings].join('\n')
}
