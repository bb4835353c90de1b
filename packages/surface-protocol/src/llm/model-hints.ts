import { quote, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { isPlainObject, ownValue } from '../json.ts'

/** Names that models give to properties, and those that are meant. */
const names: Readonly<Record<string, string>> = {
  usageHint: 'variant',
  onClick: 'action',
  onPress: 'action',
  on_click: 'action',
  src: 'url',
  href: 'url',
  contents: 'value',
}
const besides = 'Write the properties beside "component".'

/** Adds to findings about a model's message which component is meant and what to write instead. */
export function withHints(
  diagnostics: readonly SurfaceDiagnostic[],
  message: unknown,
): SurfaceDiagnostic[] {
  return diagnostics.map((one) => {
    const component = componentAt(message, one.path)
    const id = component === null ? undefined : ownValue(component, 'id')
    const componentId = one.componentId ?? (typeof id === 'string' ? id : undefined)
    const hint = hintOf(one, { message, component }) ?? one.hint
    return {
      ...one,
      ...(componentId === undefined ? {} : { componentId }),
      ...(hint === undefined ? {} : { hint }),
    }
  })
}

/** A finding in words: the component, its type, the place, what is wrong and what to write. */
export function describeFinding(
  { path, componentId, message: sentence, hint, code }: SurfaceDiagnostic,
  message: unknown,
): string {
  const component = componentAt(message, path)
  const type = component === null ? undefined : ownValue(component, 'component')
  const typed = typeof type === 'string' ? ` (${quote(type).slice(1, -1)})` : ''
  const name = path.slice(path.lastIndexOf('/') + 1)
  const what =
    code === 'invalid_property'
      ? `there is no property ${quote(name)}.`
      : sentence.charAt(0).toLowerCase() + sentence.slice(1)
  const owner = componentId === undefined ? '' : `Component ${quote(componentId)}${typed}, `
  const place = path === '' ? 'the message' : path
  return `${owner}${place}: ${what}${hint === undefined ? '' : ` ${sentenceOf(hint)}`}`
}

function sentenceOf(hint: string): string {
  return /^[A-Z].*[ .]/.test(hint) ? hint : `Use ${quote(hint)}.`
}

function componentAt(message: unknown, path: string): Record<string, unknown> | null {
  const [, kind = '', list, index = ''] = path.split('/')
  if (list !== 'components' || !isPlainObject(message)) return null
  const payload = ownValue(message, kind)
  const components = isPlainObject(payload) ? payload.components : undefined
  const component: unknown = Array.isArray(components) ? components[Number(index)] : undefined
  return isPlainObject(component) ? component : null
}

function valueAt(message: unknown, path: string): unknown {
  let value = message
  for (const segment of path.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = ownValue(value, segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return value
}

function hintOf(
  { code, path, message: sentence }: SurfaceDiagnostic,
  { message, component }: { message: unknown; component: Record<string, unknown> | null },
): string | undefined {
  const segments = path.split('/')
  const name = segments.at(-1) ?? ''
  const value = valueAt(message, path)
  if (component === null)
    return Object.hasOwn(names, name) && name === 'contents' ? 'value' : undefined
  const isOwn = segments.length === 5
  if (isOwn && name === 'component') return hintForType(component, value)
  if (isOwn && (name === 'props' || name === 'properties')) return besides
  if (code === 'invalid_property' && isOwn) {
    if (component.component === 'Button' && (name === 'label' || name === 'text')) return 'child'
    return Object.hasOwn(names, name) ? names[name] : undefined
  }
  if (segments.includes('action')) return hintForAction(component.action)
  if (code === 'missing_property' && isOwn) return hintForMissing(component, name)
  const own = ownValue(component, segments[4] ?? '')
  return hintForValue(value, segments, sentence) ?? hintForValue(own, segments, '')
}

function hintForType(component: Record<string, unknown>, value: unknown): string | undefined {
  if (typeof component.type === 'string') return 'Write "component" instead of "type".'
  if (!isPlainObject(value)) return undefined
  const [type = ''] = Object.keys(value)
  return `Write "component": ${quote(type)}, and the properties beside it.`
}

function hintForMissing(component: Record<string, unknown>, name: string): string | undefined {
  if (isPlainObject(component.props) || isPlainObject(component.properties)) return besides
  const other = Object.keys(component).find((key) => names[key] === name)
  return other === undefined ? undefined : `Write ${quote(name)} instead of ${quote(other)}.`
}

function hintForAction(action: unknown): string | undefined {
  const given = isPlainObject(action) ? action.name : action
  const isEvent = isPlainObject(action) && ('event' in action || 'functionCall' in action)
  if (isEvent) return undefined
  const name = typeof given === 'string' ? quote(given) : '"..."'
  return `Write "action": {"event": {"name": ${name}}}.`
}

function hintForValue(
  value: unknown,
  segments: readonly string[],
  sentence: string,
): string | undefined {
  if (typeof value === 'string') {
    const allowed = /one of (.*)\.$/.exec(sentence)?.[1]?.split(', ') ?? []
    return allowed.find((one) => one.toLowerCase() === value.toLowerCase())
  }
  if (!isPlainObject(value)) return undefined
  if ('literalString' in value) return 'Write a plain string.'
  if ('explicitList' in value) return 'Write an array of ids.'
  if (isPlainObject(value.template)) return 'Write {"componentId": ..., "path": ...}.'
  const isReference = segments.includes('children') || segments.at(-1) === 'child'
  if (isReference && ('component' in value || 'type' in value || 'id' in value)) {
    return 'Write the id of the component, and the component in the list of components.'
  }
  return undefined
}
