import type {
  ComponentServices,
  McpClient,
  MessageRecord,
  SqlConnections,
} from '../../src/components/define/services.ts'
import { messageToRecord } from '../../src/graph/messages/message-record.ts'
import { createRunMessages } from '../../src/graph/messages/memory-messages.ts'
import { readMessage } from '../../src/graph/values/read-message.ts'
import type { GoldenCase } from './golden-case.ts'
import { scriptedNetwork } from './golden-network.ts'

/** The services of one case, with what the test looks at afterwards. */
export async function caseServices(recorded: GoldenCase, dir: string) {
  const network = scriptedNetwork(recorded.http ?? [])
  const messages = createRunMessages(
    (recorded.store ?? []).map((row, index) => toRecord(row, index)),
  )
  const files = new Map<string, Uint8Array>()
  for (const [name, content] of Object.entries(recorded.files ?? {})) {
    files.set(`${dir}/${name}`, toBytes(content))
  }
  const written = new Map<string, Uint8Array>()
  const servers = new Map<string, Record<string, unknown>>()
  const services: ComponentServices = {
    fetch: network.fetch,
    messages,
    files: {
      read: async (path) => files.get(path) ?? null,
      async write(path, data) {
        files.set(path, data)
        written.set(path, data)
        return path
      },
      list: async (prefix) => [...files.keys()].filter((path) => path.startsWith(prefix)),
    },
    mcp: { connect: async ({ name }) => stubServer(servers.get(name)) },
    ...(recorded.sql === undefined ? {} : { sql: await sqlite(recorded.sql, dir) }),
  }
  return {
    services,
    network,
    stored: () => messages.list({ includeErrors: true }),
    written: () => [...written],
    addMcpServer(server: Record<string, unknown>) {
      servers.set(String(server.name), server)
      return { name: server.name, config: { url: 'http://mcp.test/mcp' } }
    },
  }
}

function toBytes(content: string | { base64: string }): Uint8Array {
  return typeof content === 'string'
    ? new TextEncoder().encode(content)
    : Buffer.from(content.base64, 'base64')
}

function toRecord(row: Record<string, unknown>, index: number): MessageRecord {
  return { ...messageToRecord(readMessage(row)), id: `stored-${index}` }
}

/** A server whose tools answer as recorded. */
function stubServer(server: Record<string, unknown> | undefined): McpClient {
  if (server === undefined) throw new Error('there is no such server')
  const tools = server.tools as {
    name: string
    inputSchema: object
    result: string | string[]
    isError?: boolean
  }[]
  return {
    listTools: async () => tools.map(({ name, inputSchema }) => ({ name, inputSchema })),
    async callTool(name, args) {
      const tool = tools.find((each) => each.name === name)
      if (tool === undefined) throw new Error(`Unknown tool: ${name}`)
      const texts = [tool.result]
        .flat()
        .map((text) => (text === '$args' ? JSON.stringify(args) : text))
      return {
        content: texts.map((text) => ({ type: 'text', text })),
        isError: tool.isError ?? false,
      }
    },
    close: async () => undefined,
  }
}

async function sqlite(script: string, dir: string): Promise<SqlConnections> {
  const { default: Database } = await import('libsql')
  const database = new Database(':memory:')
  database.exec(script)
  return {
    async connect(url) {
      if (url !== `sqlite:///${dir}/db.sqlite`) throw new Error(`unable to open ${url}`)
      return {
        async query(sql) {
          const statement = database.prepare(sql)
          if (!statement.reader) {
            statement.run()
            return { columns: [], rows: [] }
          }
          const rows = statement.all() as Record<string, unknown>[]
          return { columns: statement.columns().map(({ name }) => name), rows }
        },
        close: async () => undefined,
      }
    },
  }
}
