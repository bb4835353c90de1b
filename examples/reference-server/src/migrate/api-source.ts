import { SettingsError } from '../settings/read-settings.ts'
import { isBounded, problemOf } from './check-record.ts'
import { MOST_BYTES } from './read-file.ts'
import { date, jsonOf, object, objects, text, textOrNull, textsOrNull } from './read-values.ts'
import { quoted } from './report.ts'
import type { Source, SourceFile } from './source.ts'

const TIMEOUT_MS = 60_000
/** Maximum bytes of a list. */
const MOST_JSON = 256 * 1024 * 1024
const MOST_VALUES = 20_000_000

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads one user's data over the HTTP API, which never returns passwords, secret values or keys: the user
 * has no password afterwards, and the report lists the variables to enter again.
 * @throws SettingsError if the service does not respond with this key
 */
export async function openApiSource(options: {
  readonly address: string
  readonly apiKey: string
}): Promise<Source> {
  const base = options.address.replace(/\/+$/, '')
  const ask = async (path: string): Promise<Response> => {
    // A redirect would take the key to another server.
    const response = await fetch(`${base}${path}`, {
      headers: { 'x-api-key': options.apiKey },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => {
      const { message } = error.cause instanceof Error ? error.cause : error
      throw new SettingsError(`${base} cannot be reached: ${message}`)
    })
    if (response.status < 300 || response.status >= 400) return response
    const location = quoted(response.headers.get('location') ?? '')
    throw new SettingsError(`${base}${path} is redirected to ${location}; name that address`)
  }
  const read = async (path: string): Promise<unknown> => {
    const response = await ask(path)
    if (!response.ok)
      throw new SettingsError(`${base}${path} answered ${response.status}; check --api-key`)
    const bytes = await readBounded(response, MOST_JSON)
    const value = bytes === null ? undefined : parsed(bytes)
    if (value === undefined || !isBounded(value, MOST_VALUES))
      throw new SettingsError(`${base}${path} did not answer with JSON, or answered with too much`)
    return value
  }
  const list = async (path: string): Promise<Fields[]> => {
    const value = await read(path)
    if (!Array.isArray(value)) throw new SettingsError(`${base}${path} did not answer with a list`)
    return value.map((one: unknown) => object(one) as Fields)
  }
  const user = object(await read('/api/v1/users/whoami')) as Fields
  const userId = text(user['id'])
  if (problemOf({ id: userId }) !== null)
    throw new SettingsError(`${base}/api/v1/users/whoami did not answer with a user; check --from`)
  const flows = await list(
    '/api/v1/flows/?get_all=true&header_flows=false&remove_example_flows=true',
  )
  const own = flows.filter((flow) => flow['user_id'] === userId || flow['user_id'] === undefined)

  return {
    async *users() {
      yield {
        id: userId,
        username: text(user['username']),
        passwordHash: null,
        isActive: user['is_active'] === true,
        isSuperuser: user['is_superuser'] === true,
        createdAt: date(user['create_at']),
        updatedAt: date(user['updated_at']),
      }
    },
    async *projects() {
      for (const project of await list('/api/v1/projects/')) {
        yield {
          id: text(project['id']),
          userId,
          name: text(project['name']),
          description: textOrNull(project['description']),
          parentId: textOrNull(project['parent_id']),
        }
      }
    },
    async *flows() {
      for (const flow of own) {
        yield {
          id: text(flow['id']),
          userId,
          folderId: textOrNull(flow['folder_id']),
          name: text(flow['name']),
          description: textOrNull(flow['description']),
          icon: textOrNull(flow['icon']),
          iconBgColor: textOrNull(flow['icon_bg_color']),
          gradient: textOrNull(flow['gradient']),
          data: flow['data'] === null ? null : jsonOf(flow['data']),
          isComponent: flow['is_component'] === true,
          webhook: flow['webhook'] === true,
          endpointName: textOrNull(flow['endpoint_name']),
          tags: textsOrNull(flow['tags']),
          locked: flow['locked'] === true,
          mcpEnabled: flow['mcp_enabled'] === true,
          actionName: textOrNull(flow['action_name']),
          actionDescription: textOrNull(flow['action_description']),
          isPublic: flow['access_type'] === 'PUBLIC',
          updatedAt: date(flow['updated_at']),
        }
      }
    },
    async *variables() {
      for (const variable of await list('/api/v1/variables/')) {
        const isShown = variable['type'] === 'Generic'
        yield {
          id: text(variable['id']),
          userId,
          name: text(variable['name']),
          type: text(variable['type']),
          value: isShown ? textOrNull(variable['value']) : null,
          defaultFields: textsOrNull(variable['default_fields']),
        }
      }
    },
    async *apiKeys() {
      // The API only returns masked keys.
    },
    async *files() {
      for (const file of await list('/api/v2/files/')) {
        const storedName = text(file['path']).split('/').slice(1).join('/')
        const id = text(file['id'])
        yield {
          owner: 'user',
          ownerId: userId,
          storedName,
          listed: { id, name: text(file['name']), createdAt: date(file['created_at']) },
          read: () => fileBytes(ask, `/api/v2/files/${encodeURIComponent(id)}`),
        } satisfies SourceFile
      }
      for (const flow of own) {
        const ownerId = text(flow['id'])
        const answer = object(await read(`/api/v1/files/list/${encodeURIComponent(ownerId)}`))
        for (const storedName of textsOrNull(Reflect.get(answer, 'files')) ?? []) {
          yield {
            owner: 'flow',
            ownerId,
            storedName,
            listed: null,
            read: () =>
              fileBytes(
                ask,
                `/api/v1/files/download/${encodeURIComponent(ownerId)}/${encodeURIComponent(storedName)}`,
              ),
          } satisfies SourceFile
        }
      }
    },
    async *messages() {
      for (const message of await list('/api/v1/monitor/messages')) {
        yield {
          id: text(message['id']),
          flowId: textOrNull(message['flow_id']),
          timestamp: date(message['timestamp']),
          sender: textOrNull(message['sender']),
          senderName: textOrNull(message['sender_name']),
          sessionId: text(message['session_id']),
          contextId: textOrNull(message['context_id']),
          text: text(message['text']),
          files: textsOrNull(message['files']) ?? [],
          error: message['error'] === true,
          edit: message['edit'] === true,
          category: textOrNull(message['category']) ?? 'message',
          properties: object(message['properties']),
          contentBlocks: objects(message['content_blocks']),
        }
      }
    },
    async close() {},
  }
}

async function fileBytes(
  ask: (path: string) => Promise<Response>,
  path: string,
): Promise<Uint8Array | null> {
  const response = await ask(path)
  return response.ok ? await readBounded(response, MOST_BYTES) : null
}

/** The body; null if it is larger, or breaks off. */
async function readBounded({ body }: Response, most: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of body ?? []) {
      size += part.length
      if (size > most) return null
      parts.push(part)
    }
  } catch {
    return null
  }
  return Buffer.concat(parts)
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
