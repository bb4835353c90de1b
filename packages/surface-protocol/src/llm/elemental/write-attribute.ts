import type { SlotTable } from '../../catalog/v09/table.ts'
import { equalJson, isPlainObject } from '../../json.ts'

/** What the writing of a value depends on. */
export interface ValueForm {
  readonly isTagged: boolean
  isFunction(name: string): boolean
}

const PATH = /^(?:\/(?:[A-Za-z0-9_]+(?:\/[A-Za-z0-9_]+)*)?|[A-Za-z0-9_]+(?:\/[A-Za-z0-9_]+)*)$/
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Text as a quoted attribute. */
export function quoted(text: string): string {
  return `"${escapeAttribute(text)}"`
}

/** Escapes what would end an attribute or be decoded. */
function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** True for values that are short as an expression: bindings, calls, actions and checks. */
export function canBeCalled(value: unknown, slot: SlotTable | undefined): boolean {
  return slot === 'action' || slot === 'checks' || isPlainObject(value)
}

/** A value as an expression in braces; null if only JSON says it. */
export function braces(
  value: unknown,
  slot: SlotTable | undefined,
  form: ValueForm,
  own?: unknown,
): string | null {
  const written =
    slot === 'checks'
      ? checks(value, form, own)
      : slot === 'action'
        ? action(value, form)
        : expression(value, form)
  return written === null ? null : `{${written}}`
}

function expression(value: unknown, form: ValueForm): string | null {
  if (typeof value === 'string') return literal(value)
  if (typeof value === 'number') return /e/i.test(String(value)) ? null : String(value)
  if (typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => expression(item, form))
    return items.includes(null) ? null : `[${items.join(', ')}]`
  }
  if (!isPlainObject(value)) return null
  const keys = Object.keys(value)
  const path = form.isTagged ? value['@path'] : value.path
  if (keys.length === 1 && typeof path === 'string' && PATH.test(path)) return `$${path}`
  return call(value, form) ?? map(value, form)
}

function map(value: Readonly<Record<string, unknown>>, form: ValueForm): string | null {
  const members = Object.entries(value).map(([key, inner]) => {
    const written = expression(inner, form)
    return written === null ? null : `${NAME.test(key) ? key : literal(key)}: ${written}`
  })
  return members.includes(null) ? null : `{${members.join(', ')}}`
}

/** A call with all arguments by name. */
function call(
  value: Readonly<Record<string, unknown>>,
  form: ValueForm,
  further: readonly string[] = [],
  own?: unknown,
): string | null {
  const key = form.isTagged ? '@call' : 'call'
  const { [key]: name, args = {}, returnType: _, ...others } = value
  if (typeof name !== 'string' || !isPlainObject(args) || Object.keys(others).length > 0)
    return null
  if (!form.isFunction(name) || !NAME.test(name)) return null
  const given: (string | null)[] = Object.entries(args)
    .filter(([arg, one]) => !(arg === 'value' && own !== undefined && equalJson(one, own)))
    .map(([arg, one]) => {
      const written = expression(one, form)
      return written === null || !NAME.test(arg) ? null : `${arg}: ${written}`
    })
  return given.includes(null) ? null : `${name}(${[...given, ...further].join(', ')})`
}

function action(value: unknown, form: ValueForm): string | null {
  if (!isPlainObject(value) || Object.keys(value).length !== 1) return null
  if (isPlainObject(value.functionCall)) return call(value.functionCall, form)
  const { event } = value
  if (!isPlainObject(event) || typeof event.name !== 'string') return null
  const { name, context = {}, ...others } = event
  if (!isPlainObject(context) || Object.keys(others).length > 0) return null
  const written = map(context, form)
  if (written === null) return null
  return written === '{}' ? `Event(${literal(name)})` : `Event(${literal(name)}, ${written})`
}

function checks(value: unknown, form: ValueForm, own: unknown): string | null {
  if (!Array.isArray(value)) return null
  const path = isPlainObject(own) ? (form.isTagged ? own['@path'] : own.path) : undefined
  const bound = typeof path === 'string' ? own : undefined
  const list = value.map((check: unknown) => {
    if (!isPlainObject(check) || !isPlainObject(check.condition)) return null
    const { condition, message, ...others } = check
    if (typeof message !== 'string' || Object.keys(others).length > 0) return null
    const { args } = condition
    // Without a value of its own the check would be about that of the component.
    const hasValue = isPlainObject(args) && 'value' in args
    if (bound !== undefined && !hasValue) return null
    return call(condition, form, [`message: ${literal(message)}`], bound)
  })
  return list.includes(null) ? null : `[${list.join(', ')}]`
}

function literal(value: string): string {
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
  return `'${escaped}'`
}
