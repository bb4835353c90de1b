import { isPlainObject, setOwn, own, ownObject, ownText, type PlainObject } from '@x/wire'
import type { AnyFieldOptions, FieldKind } from '../../components/define/field.ts'
import { fieldToTemplate } from '../../components/define/template.ts'
import type { PlanEdge, PlanVertex } from '../plan/plan-graph.ts'
import { VARIABLE_OR_TEXT } from '../context/tweaks.ts'
import { usualPlace } from '../../components/registry/usual-names.ts'
import { staticValue } from './static-value.ts'

/** The parts of a field that are the same in every build of its vertex, read once. */
export interface FieldPlan {
  readonly name: string
  readonly displayName: string
  readonly type: string
  readonly list: boolean
  /** Edges that feed it, in edge order. */
  readonly edges: readonly PlanEdge[]
  /** The value without edges; undefined: the declared default applies. */
  readonly value: unknown
  /** Visible and required. */
  readonly required: boolean
  /** Name of a variable to resolve; undefined: use the value itself. */
  readonly variable: string | undefined
  /** The value of a tweak, used if no variable has this name. */
  readonly literal: unknown
  /** The component has a fallback if the field is blank or its variable is missing. */
  readonly fallback: boolean
  readonly secret: boolean
  /** Declared as a secret by a host component: also accepts keys from the environment. */
  readonly takesKeys: boolean
  /** Blank, it is looked up in variables: secrets and addresses of components of ours or of the host. */
  readonly looksUp: boolean
  /** The usual variable of a secret, as its component declares it. */
  readonly usual: string | undefined
  /** A required file field without a file. */
  readonly missingFile: boolean
}

export interface VertexFields {
  readonly fields: readonly FieldPlan[]
  /** Values of all fields without edges or variables, shared by all builds. */
  readonly fixed: Readonly<Record<string, unknown>>
  /** Fields evaluated in each build: fed by edges, using variables, or required. */
  readonly open: readonly FieldPlan[]
  readonly secrets: readonly string[]
  /** Addresses of vendors and stores, which must be URLs. */
  readonly addresses: readonly FieldPlan[]
  /** Fields a request may set if no edge feeds them. */
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

const untweaked = new WeakMap<PlanVertex, Map<string, VertexFields>>()
const MAX_CACHED = 8

/**
 * The field plan of a vertex; cached with the plan unless there are tweaks.
 * @param dead fields whose edges count as not drawn
 */
export function planFields(
  vertex: PlanVertex,
  tweaks: ReadonlyMap<string, PlainObject> | undefined,
  dead?: ReadonlySet<string>,
): VertexFields {
  if (tweaks !== undefined) return readFields(vertex, tweaks, dead)
  const key = dead === undefined || dead.size === 0 ? '' : JSON.stringify([...dead])
  const before = untweaked.get(vertex)
  const known = before?.get(key)
  if (known !== undefined) return known
  const fields = readFields(vertex, undefined, dead)
  if (before === undefined) untweaked.set(vertex, new Map([[key, fields]]))
  else if (before.size < MAX_CACHED) before.set(key, fields)
  return fields
}

function readFields(
  vertex: PlanVertex,
  tweaks: ReadonlyMap<string, PlainObject> | undefined,
  dead: ReadonlySet<string> | undefined,
): VertexFields {
  const { template, component } = vertex
  const names = new Set([...Object.keys(component.inputs), ...Object.keys(template)])
  const edges = new Map<string, PlanEdge[]>()
  for (const edge of vertex.incoming) {
    if (edge.self || dead?.has(edge.field) === true) continue
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
      setOwn(fixed, field.name, field.value)
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
      (f) =>
        f.edges.length > 0 || f.variable !== undefined || f.required || f.missingFile || f.looksUp,
    ),
    addresses: fields.filter(({ name }) => isAddress(vertex, name)),
    secrets: fields.flatMap((f) => (f.secret && typeof f.value === 'string' ? [f.value] : [])),
  }
}

interface FieldSource {
  readonly given: PlainObject | undefined
  readonly fed: readonly PlanEdge[]
  readonly tweaked: boolean
}

function readField(
  vertex: PlanVertex,
  name: string,
  { given, fed, tweaked }: FieldSource,
): FieldPlan {
  const declared = Object.hasOwn(vertex.component.inputs, name)
    ? vertex.component.inputs[name]
    : undefined
  const options: AnyFieldOptions = declared?.options ?? {}
  const kind = declared?.fieldKind
  const type = ownText(given ?? {}, 'type') ?? declaredType(vertex, name)
  // Hidden fields use their default, unless they declare otherwise.
  const shown =
    (own(given ?? {}, 'show') ?? options.show ?? true) !== false ||
    own(given ?? {}, 'override_skip') === true
  const overridden = !tweaked && vertex.overrides.has(name)
  const raw = overridden ? vertex.overrides.get(name) : own(given ?? {}, 'value')
  const load = own(given ?? {}, 'load_from_db')
  const fromVariable = shown && fed.length === 0 && (load === true || load === VARIABLE_OR_TEXT)
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
    literal: load === VARIABLE_OR_TEXT && variable !== undefined ? value : undefined,
    fallback,
    secret: isSecret(given, kind),
    takesKeys: kind === 'secret' && vertex.component.sandboxed !== true,
    looksUp:
      (kind === 'secret' || usualPlace(vertex.component.type, name) !== undefined) &&
      vertex.component.sandboxed !== true &&
      shown &&
      fed.length === 0,
    usual: options.variable,
    missingFile: type === 'file' && required && fed.length === 0 && isEmpty(path),
  }
}

function isAddress({ component }: PlanVertex, name: string): boolean {
  return /_(?:URL|ENDPOINT)$/.test(usualPlace(component.type, name)?.name ?? '')
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

/** True for values that a required field rejects and an optional field ignores. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isPlainObject(value) && Object.keys(value).length === 0
}
