import type { JsonValue } from '../../json.ts'
import type { Compiled } from './value-context.ts'
import type { Expression } from './program.ts'

interface Definition {
  readonly value: Expression
  readonly at: number
}

interface DataStatement {
  readonly path: string
  readonly value: Expression
  readonly at: number
}

/** A surface of a program, and what was sent of it. */
export interface Scope {
  readonly surfaceId: string
  readonly isNamed: boolean
  readonly isUpdate: boolean
  readonly sendDataModel: JsonValue | undefined
  readonly at: number
  readonly names: Map<string, Definition>
  readonly data: DataStatement[]
  /** The owners that use a name: components by name, data by `$` and their number. */
  readonly users: Map<string, Set<string>>
  /** What was compiled last, by owner. */
  readonly compiled: Map<string, Compiled[] | JsonValue>
  /** The JSON that was sent last, by component id or data owner. */
  readonly sent: Map<string, string>
  /** Owners whose fault was reported. */
  readonly failed: Set<string>
  inlines: number
  isStarted: boolean
}

/** The beginning of a surface. */
export function newScope(
  given: Pick<Scope, 'surfaceId' | 'at'> &
    Partial<Pick<Scope, 'isNamed' | 'isUpdate' | 'sendDataModel'>>,
): Scope {
  return {
    isNamed: false,
    isUpdate: false,
    sendDataModel: undefined,
    ...given,
    names: new Map(),
    data: [],
    users: new Map(),
    compiled: new Map(),
    sent: new Map(),
    failed: new Set(),
    inlines: 0,
    isStarted: false,
  }
}
