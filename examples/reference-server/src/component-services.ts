import { createDocumentReader, createJsonQueries, createStdioMcp } from '@x/flow-components/node'
import type { ComponentServices } from '@x/flow-engine'
import { createFinanceSource } from './finance-source.ts'
import { providerEnvironment } from './provider-environment.ts'
import type { Settings } from './settings/read-settings.ts'

/** What components may use besides what is stored: addresses, programs and variables that the settings allow. */
export function componentServices(
  settings: Settings,
  {
    environment,
    fetch,
    sql,
    code: { runner },
  }: {
    readonly environment: Readonly<Record<string, string | undefined>>
    readonly fetch: ComponentServices['fetch'] & {}
    readonly sql: ComponentServices['sql'] & {}
    readonly code: { readonly runner: ComponentServices['codeRunner'] }
  },
): Partial<ComponentServices> {
  const { SERVICE_MCP_STDIO_COMMANDS: commands = [] } = settings
  const stdio = { commands, setting: 'SERVICE_MCP_STDIO_COMMANDS', fetch }
  return {
    environment: providerEnvironment(
      environment,
      settings.SERVICE_VARIABLES_TO_GET_FROM_ENVIRONMENT,
    ),
    fetch,
    crawlBytes: (settings.SERVICE_MAX_CRAWL_MB ?? 64) * 1024 * 1024,
    jsonQueries: createJsonQueries(),
    documentReader: createDocumentReader(),
    sql,
    finance: createFinanceSource(settings.SERVICE_FINANCE_URL),
    ...(settings.SERVICE_MCP_STDIO === true && { mcp: createStdioMcp(stdio) }),
    ...(runner !== undefined && { codeRunner: runner }),
  }
}
