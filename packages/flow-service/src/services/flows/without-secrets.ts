import { isObject } from '@x/wire'
import type { ComponentRegistry } from '@x/flow-engine'
import { createWorkBudget, type CooperativeWork } from '@x/wire'
import { changeGraph } from './change-graph.ts'
import { declaredSecrets } from './declared-secrets.ts'

/** URLs that consist of credentials and a location: databases and queues. */
const DATABASE =
  /^\s*(postgres(ql)?|mysql|mariadb|mongodb|redis|rediss|mssql|sqlserver|oracle|amqps?|clickhouse|cockroachdb|snowflake|sqlite|duckdb|libsql|jdbc)(\+[\w.+-]+)?:/i
const USER_INFORMATION = /([a-z][\w+.-]{0,30}:\/\/)[^\s/?#"'<>@]{1,1000}@/gi
const QUERY = /([a-z][\w+.-]{0,30}:\/\/[^\s?#"'<>]{1,2000})\?[^\s#"'<>]*/gi
/** Names of secret fields: a graph that no editor has written may lack their mark and their component. */
const SECRET_NAME =
  /(^|_)(api_?key|access_key(_id)?|account_key|private_key|secret(_key)?|password|token|credentials)$/i
const HEADERS = /headers?(_input)?$/i
const TOOL_SERVER = new Set(['mcp_server', 'mcp_servers', 'mcpServers'])
const TOOL_FIELDS = new Set([
  'command',
  'args',
  'env',
  'headers',
  'headers_input',
  'url',
  'sse_url',
])
/** Shorter secret values are not searched for elsewhere, because they would match everywhere. */
const SHORTEST = 6
const MEDIA_TYPE = /^[a-z]+\/[\w.+*-]+$/
/** Only the longest secrets are searched for in results, so that reading a flow takes linear time. */
const MAX_SECRETS = 100

/**
 * A stored graph as shown to other users: "" for secret fields, header values, database
 * URLs, `curl_input`, and the configuration of tool servers except their name; other URLs lose user info and
 * query. A field is secret by its mark, its name or the declaration of its component. Applies to grouped
 * nodes and stored results too: a secret is removed wherever its value occurs. Only this function decides
 * which parts of a graph other users see.
 */
export function withoutSecrets(
  data: string | null,
  components: Pick<ComponentRegistry, 'resolve'>,
): Promise<string | null> {
  return changeGraph(data, (graph) => shownSteps(graph, components))
}

function* shownSteps(
  graph: unknown,
  components: Pick<ComponentRegistry, 'resolve'>,
): CooperativeWork<unknown> {
  const walk: Walk = {
    secrets: new Set(),
    declared: declaredSecrets(graph, components),
    step: createWorkBudget(STEP),
  }
  yield
  const shown = yield* strip(graph, { key: '', inToolServer: false }, walk)
  const longest = longestOf(walk.secrets)
  return longest.length === 0 ? shown : yield* withoutValues(shown, longest, walk)
}

/** Values, or characters, checked per turn of the event loop. */
const STEP = 20_000
/** Characters that count as one value. */
const CHARACTERS = 500

interface Walk {
  readonly secrets: Set<string>
  /** Fields that their components declare as secrets. */
  readonly declared: ReadonlySet<object>
  readonly step: (units: number) => boolean
}

interface Place {
  /** Name of the property that contains the value. */
  readonly key: string
  /** True within the template of a component that calls a tool server. */
  readonly inToolServer: boolean
}

/** Changes objects in place: they were just parsed, and copies of a large graph take most of the time. */
function* strip(value: unknown, place: Place, walk: Walk): CooperativeWork<unknown> {
  if (typeof value === 'string') return yield* stripText(value, place.key, walk)
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      if (walk.step(1)) yield
      if (isPart(item)) value[at] = yield* strip(item, place, walk)
    }
    return value
  }
  if (!isObject(value)) return value
  const { type } = value
  const inToolServer = place.inToolServer || (typeof type === 'string' && /^MCP/i.test(type))
  const field = nameOfField(value, place.key)
  const isSecret = isSecretField(value) || walk.declared.has(value)
  // The name of a variable is hidden in its field, but may occur elsewhere as an ordinary word.
  const isNamed = value['load_from_db'] === true
  for (const key of Object.keys(value)) {
    if (walk.step(1)) yield
    const inner = value[key]
    if (inner === null || typeof inner === 'boolean') continue
    const isValue = key === 'value'
    const name = isValue ? field : key
    if (isValue && (isSecret || SECRET_NAME.test(name))) {
      value[key] = yield* emptied(inner, isNamed ? { ...walk, secrets: new Set() } : walk)
    } else if (name === 'curl_input') {
      if (isObject(inner)) yield* stripField(inner, walk)
      else value[key] = yield* emptied(inner, walk)
    } else if ((TOOL_SERVER.has(name) || (isValue && type === 'mcp')) && !isField(inner)) {
      value[key] = yield* onlyName(inner, walk)
    } else if ((HEADERS.test(name) || (inToolServer && TOOL_FIELDS.has(name))) && !isField(inner)) {
      value[key] = yield* emptied(inner, walk)
    } else if (isPart(inner)) {
      value[key] = yield* strip(inner, { key: name, inToolServer }, walk)
    }
  }
  return value
}

/** True for values that may contain a text. */
function isPart(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}

/** True for a template field, whose value is checked separately. */
function isField(value: unknown): value is Record<string, unknown> {
  return isObject(value) && 'value' in value && ('type' in value || 'name' in value)
}

function* stripField(field: Record<string, unknown>, walk: Walk): CooperativeWork<void> {
  if (Object.hasOwn(field, 'value')) field['value'] = yield* emptied(field['value'], walk)
}

function nameOfField(field: Record<string, unknown>, key: string): string {
  return typeof field['name'] === 'string' ? field['name'] : key
}

function isSecretField(field: Record<string, unknown>): boolean {
  return Boolean(field['password']) || field['_input_type'] === 'SecretStrInput'
}

/** The same structure with "" for every string and number; header names are kept. */
function* emptied(value: unknown, walk: Walk): CooperativeWork<unknown> {
  if (walk.step(1)) yield
  if (typeof value === 'string') {
    if (value.length >= SHORTEST && !MEDIA_TYPE.test(value)) walk.secrets.add(value)
    return ''
  }
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) value[at] = yield* emptied(item, walk)
    return value
  }
  if (!isObject(value)) return typeof value === 'number' ? '' : value
  const isRow = typeof value['key'] === 'string' && 'value' in value
  for (const key of Object.keys(value))
    if (!isRow || key !== 'key') value[key] = yield* emptied(value[key], walk)
  return value
}

/** Keeps only the name of a tool server's configuration. */
function* onlyName(value: unknown, walk: Walk): CooperativeWork<unknown> {
  if (!isObject(value)) return typeof value === 'string' ? value : yield* emptied(value, walk)
  const { name } = value
  value['name'] = ''
  yield* emptied(value, walk)
  return typeof name === 'string' ? { name } : {}
}

function* stripText(text: string, key: string, { secrets, step }: Walk): CooperativeWork<string> {
  if (key === 'code' || !text.includes(':')) return text
  if (DATABASE.test(text) && !/\n/.test(text.trim())) {
    secrets.add(text)
    return ''
  }
  if (!text.includes('://')) return text
  let shown = ''
  for (const piece of piecesOf(text)) {
    shown += piece.replace(USER_INFORMATION, '$1').replace(QUERY, '$1')
    if (step(piece.length / CHARACTERS)) yield
  }
  return shown
}

/** Characters that no address contains, at which a text can be cut. */
const BETWEEN = /[\s"'<>]/g
const PIECE = 256 * 1024

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    BETWEEN.lastIndex = at + PIECE
    const end = BETWEEN.exec(text)?.index ?? text.length
    yield text.slice(at, end)
    at = end
  }
}

/** The longest texts, longest first. */
function longestOf(texts: ReadonlySet<string>): readonly string[] {
  const longest: string[] = []
  for (const text of texts) {
    const { length } = longest
    if (length === MAX_SECRETS && text.length <= (longest[length - 1]?.length ?? 0)) continue
    const at = longest.findIndex((other) => other.length < text.length)
    longest.splice(at === -1 ? length : at, 0, text)
    if (longest.length > MAX_SECRETS) longest.pop()
  }
  return longest
}

/** Removes secret values from all strings, since results and descriptions may repeat them. */
function* withoutValues(
  value: unknown,
  secrets: readonly string[],
  walk: Walk,
): CooperativeWork<unknown> {
  if (typeof value === 'string') {
    let text = value
    for (const secret of secrets) {
      if (text.length >= secret.length && text.includes(secret)) text = text.replaceAll(secret, '')
      if (walk.step(text.length / CHARACTERS)) yield
    }
    return text
  }
  if (walk.step(1)) yield
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      if (isPart(item)) value[at] = yield* withoutValues(item, secrets, walk)
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const inner = value[key]
      if (isPart(inner)) value[key] = yield* withoutValues(inner, secrets, walk)
    }
  }
  return value
}
