import { isObject } from '@x/wire'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
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
 * A stored graph as shown to other users (abuse.md AB-53): "" for secret fields, header values, database
 * URLs, `curl_input`, and the configuration of tool servers except their name; other URLs lose user info and
 * query. A field is secret by its mark, its name or the declaration of its component. Applies to grouped
 * nodes and stored results too: a secret is removed wherever its value occurs. Only this function decides
 * which parts of a graph other users see.
 */
export function withoutSecrets(
  data: string | null,
  components: Pick<ComponentRegistry, 'resolve'>,
): string | null {
  if (data === null) return null
  const secrets = new Set<string>()
  const graph: unknown = JSON.parse(data)
  const declared = declaredSecrets(graph, components)
  const shown = strip(graph, { key: '', inToolServer: false, declared }, secrets)
  return JSON.stringify(withoutValues(shown, secrets))
}

interface Place {
  /** Name of the property that contains the value. */
  readonly key: string
  /** True within the template of a component that calls a tool server. */
  readonly inToolServer: boolean
  /** Fields that their components declare as secrets. */
  readonly declared: ReadonlySet<object>
}

function strip(value: unknown, place: Place, secrets: Set<string>): unknown {
  if (typeof value === 'string') return stripText(value, place.key, secrets)
  if (Array.isArray(value)) return value.map((item) => strip(item, place, secrets))
  if (!isObject(value)) return value
  const { type } = value
  const { declared } = place
  const inToolServer = place.inToolServer || (typeof type === 'string' && /^MCP/i.test(type))
  return mapObject(value, (key, inner) => {
    const isValue = key === 'value'
    const name = isValue ? nameOfField(value, place.key) : key
    // The name of a variable is hidden in its field, but may occur elsewhere as an ordinary word.
    const isNamed = value['load_from_db'] === true
    const isSecret = isSecretField(value) || declared.has(value) || SECRET_NAME.test(name)
    if (isValue && isSecret) return emptied(inner, isNamed ? new Set() : secrets)
    if (name === 'curl_input')
      return isObject(inner) ? stripField(inner, secrets) : emptied(inner, secrets)
    if (TOOL_SERVER.has(name) || (isValue && value['type'] === 'mcp')) {
      return isField(inner)
        ? strip(inner, { key: name, inToolServer, declared }, secrets)
        : onlyName(inner, secrets)
    }
    const isHidden = HEADERS.test(name) || (inToolServer && TOOL_FIELDS.has(name))
    if (isHidden && !isField(inner)) return emptied(inner, secrets)
    return strip(inner, { key: name, inToolServer, declared }, secrets)
  })
}

/** True for a template field, whose value is checked separately. */
function isField(value: unknown): value is Record<string, unknown> {
  return isObject(value) && 'value' in value && ('type' in value || 'name' in value)
}

function stripField(field: Record<string, unknown>, secrets: Set<string>): unknown {
  return mapObject(field, (key, inner) => (key === 'value' ? emptied(inner, secrets) : inner))
}

function nameOfField(field: Record<string, unknown>, key: string): string {
  return typeof field['name'] === 'string' ? field['name'] : key
}

function isSecretField(field: Record<string, unknown>): boolean {
  return Boolean(field['password']) || field['_input_type'] === 'SecretStrInput'
}

/** The same structure with "" for every string; header names are kept. */
function emptied(value: unknown, secrets: Set<string>): unknown {
  if (typeof value === 'string') {
    if (value.length >= SHORTEST && !MEDIA_TYPE.test(value)) secrets.add(value)
    return ''
  }
  if (Array.isArray(value)) return value.map((item) => emptied(item, secrets))
  if (!isObject(value)) return typeof value === 'number' ? '' : value
  const isRow = typeof value['key'] === 'string' && 'value' in value
  return mapObject(value, (key, inner) =>
    isRow && key === 'key' ? inner : emptied(inner, secrets),
  )
}

/** Keeps only the name of a tool server's configuration. */
function onlyName(value: unknown, secrets: Set<string>): unknown {
  if (!isObject(value)) return typeof value === 'string' ? value : emptied(value, secrets)
  emptied(
    mapObject(value, (key, inner) => (key === 'name' ? '' : inner)),
    secrets,
  )
  return typeof value['name'] === 'string' ? { name: value['name'] } : {}
}

function stripText(text: string, key: string, secrets: Set<string>): string {
  if (key === 'code' || !text.includes(':')) return text
  if (DATABASE.test(text) && !/\n/.test(text.trim())) {
    secrets.add(text)
    return ''
  }
  if (!text.includes('://')) return text
  return text.replace(USER_INFORMATION, '$1').replace(QUERY, '$1')
}

/** Removes secret values from all strings, since results and descriptions may repeat them. */
function withoutValues(graph: unknown, secrets: ReadonlySet<string>): unknown {
  if (secrets.size === 0) return graph
  const longestFirst = [...secrets].toSorted((a, b) => b.length - a.length).slice(0, MAX_SECRETS)
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') {
      let text = value
      for (const secret of longestFirst)
        if (text.includes(secret)) text = text.replaceAll(secret, '')
      return text
    }
    if (Array.isArray(value)) return value.map(clean)
    return isObject(value) ? mapObject(value, (_, inner) => clean(inner)) : value
  }
  return clean(graph)
}

function mapObject(
  object: Record<string, unknown>,
  map: (key: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(key, value)]))
}
