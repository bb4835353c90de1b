import { isObject } from '@x/wire'
import type { AnyFieldOptions, FieldKind } from '../../components/define/field.ts'
import { fieldToTemplate } from '../../components/define/template.ts'
import { define, own, ownObject, ownText, type PlainObject } from '../flow/plain-object.ts'
import type { PlanEdge, PlanVertex } from '../plan/plan-graph.ts'
import { IF_KNOWN } from '../context/tweaks.ts'
import { staticValue } from './static-value.ts'

/** One field of one vertex, read once: what of it does not change from build to build. */
export interface FieldPlan {
  readonly name: string
  readonly displayName: string
  readonly type: string
  readonly list: boolean
  /** Edges that feed it, in edge order. */
  readonly edges: readonly PlanEdge[]
  /** The value without edges; undefined = the declared default applies. */
  readonly value: unknown
  /** Shown and required (FE-24). */
  readonly required: boolean
  /** Name of a variable to resolve; undefined = the value stands for itself. */
  readonly variable: string | undefined
  /** A tweak's value, used if no variable has this name (FE-23). */
  readonly literal: unknown
  /** The component looks elsewhere when the field is blank or its variable is missing (NX-13). */
  readonly fallback: boolean
  readonly secret: boolean
  /** Declared as a secret by a component of the host: takes keys of the environment too (AB-41). */
  readonly takesKeys: boolean
  /** A file field that is required and names no file (FE-21). */
  readonly missingFile: boolean
}

export interface VertexFields {
  readonly fields: readonly FieldPlan[]
  /** Values of all fields without edges and variables, shared by all builds. */
  readonly fixed: Readonly<Record<string, unknown>>
  /** Fields that take part in each build: fed by edges, variables, required. */
  readonly open: readonly FieldPlan[]
  readonly secrets: readonly string[]
  /** Fields that a request may set (FE-20, FE-22), when no edge feeds them. */
  readonly settable: {
    readonly session: boolean
    readonly stream: boolean
    readonly input: boolean
  }
}

const LISTS: ReadonlySet<FieldKind> = new Set([
  'tools',
  'multiselect',
  'sortableList',
  'table',
  'file',
])

const untweaked = new WeakMap<PlanVertex, VertexFields>()

/** The fields of a vertex; with tweaks made anew, without them once for each plan. */
export function fieldsOf(
  vertex: PlanVertex,
  tweaks: ReadonlyMap<string, PlainObject> | undefined,
): VertexFields {
  if (tweaks !== undefined) return readFields(vertex, tweaks)
  const known = untweaked.get(vertex)
  if (known !== undefined) return known
  const fields = readFields(vertex, undefined)
  untweaked.set(vertex, fields)
  return fields
}

function readFields(
  vertex: PlanVertex,
  tweaks: ReadonlyMap<string, PlainObject> | undefined,
): VertexFields {
  const { template, component } = vertex
  const names = new Set([...Object.keys(component.inputs), ...Object.keys(template)])
  const edges = new Map<string, PlanEdge[]>()
  for (const edge of vertex.incoming) {
    if (edge.self) continue
    names.add(edge.field)
    const feeding = edges.get(edge.field)
    if (feeding === undefined) edges.set(edge.field, [edge])
    else feeding.push(edge)
  }
  names.delete('code')
  const fields: FieldPlan[] = []
  for (const name of names) {
    const given = tweaks?.get(name) ?? ownObject(template, name)
    const fed = edges.get(name) ?? []
    if (given === undefined && Object.hasOwn(template, name) && fed.length === 0) continue
    fields.push(readField(vertex, name, { given, fed, tweaked: tweaks?.has(name) === true }))
  }
  const fixed: Record<string, unknown> = {}
  for (const field of fields) {
    if (field.edges.length === 0 && field.variable === undefined && field.value !== undefined) {
      define(fixed, field.name, field.value)
    }
  }
  const settable = (name: string): boolean =>
    fields.some((field) => field.name === name && field.edges.length === 0)
  return {
    fields,
    fixed,
    settable: {
      session: settable('session_id'),
      stream: settable('stream'),
      input: settable('input_value'),
    },
    open: fields.filter(
      (f) => f.edges.length > 0 || f.variable !== undefined || f.required || f.missingFile,
    ),
    secrets: fields.flatMap((f) => (f.secret && typeof f.value === 'string' ? [f.value] : [])),
  }
}

interface Given {
  readonly given: PlainObject | undefined
  readonly fed: readonly PlanEdge[]
  readonly tweaked: boolean
}

function readField(vertex: PlanVertex, name: string, { given, fed, tweaked }: Given): FieldPlan {
  const declared = Object.hasOwn(vertex.component.inputs, name)
    ? vertex.component.inputs[name]
    : undefined
  const options: AnyFieldOptions = declared?.options ?? {}
  const kind = declared?.fieldKind
  const type = ownText(given ?? {}, 'type') ?? declaredType(vertex, name)
  // Fields that are hidden have their default, but for those that say otherwise.
  const shown =
    (own(given ?? {}, 'show') ?? options.show ?? true) !== false ||
    own(given ?? {}, 'override_skip') === true
  const overridden = !tweaked && vertex.overrides.has(name)
  const raw = overridden ? vertex.overrides.get(name) : own(given ?? {}, 'value')
  const load = own(given ?? {}, 'load_from_db')
  const fromVariable = shown && fed.length === 0 && (load === true || load === IF_KNOWN)
  const variable = fromVariable && typeof raw === 'string' ? raw : undefined
  const path = type === 'file' ? own(given ?? {}, 'file_path') : undefined
  const value = shown
    ? staticValue({
        name,
        type,
        value: raw,
        path,
        declared: declared !== undefined,
        fed: fed.length > 0,
      })
    : undefined
  const defaulted = given === undefined && !isEmpty(options.default)
  const fallback = options.fallback === true
  const required =
    (own(given ?? {}, 'required') ?? options.required) === true &&
    shown &&
    !defaulted &&
    !fallback &&
    type !== 'model'
  return {
    name,
    displayName: ownText(given ?? {}, 'display_name') || options.displayName || name,
    type,
    list: own(given ?? {}, 'list') === true || options.list === true || isListKind(kind),
    edges: fed,
    value: variable === undefined ? value : undefined,
    required: required && !vertex.toolMode,
    variable,
    literal: load === IF_KNOWN && variable !== undefined ? value : undefined,
    fallback,
    secret: isSecret(given, kind),
    takesKeys: kind === 'secret' && vertex.component.sandboxed !== true,
    missingFile: type === 'file' && required && fed.length === 0 && isEmpty(path),
  }
}

function isListKind(kind: FieldKind | undefined): boolean {
  return kind !== undefined && LISTS.has(kind)
}

function declaredType(vertex: PlanVertex, name: string): string {
  const field = Object.hasOwn(vertex.component.inputs, name)
    ? vertex.component.inputs[name]
    : undefined
  return field === undefined ? '' : (fieldToTemplate(name, field).type ?? '')
}

function isSecret(given: PlainObject | undefined, kind: FieldKind | undefined): boolean {
  return kind === 'secret' || own(given ?? {}, 'password') === true
}

/** No value for a required field (FE-24), and dropped from an optional one (FE-21). */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && isBare(value) && Object.keys(value).length === 0
}

function isBare(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
