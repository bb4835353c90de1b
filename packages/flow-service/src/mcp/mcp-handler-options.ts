import {
  anything,
  callback,
  implementing,
  integer,
  list,
  mountPath,
  optionCheck,
  required,
  secret,
  text,
  texts,
  type Runtime,
} from '@x/wire'
import type {
  ChatModel,
  ComponentRegistry,
  ComponentServices,
  FlowJson,
  ModelProviders,
  RunLimits,
} from '@x/flow-engine'
import { runOptionKinds } from '@x/flow-engine/internal'
import type { JobStore } from '@x/flow-engine/store'
import type { FlowToolOptions } from './flow-tools.ts'
import type { McpAuth } from './mcp-auth.ts'
import type { ListedResource, ResourceContent } from './mcp-server.ts'

/** Resources the host serves in addition to the tools. */
export interface McpResourceSource {
  list(): readonly ListedResource[] | Promise<readonly ListedResource[]>
  /** Null for a URI that is not listed. */
  read(uri: string): ResourceContent | null | Promise<ResourceContent | null>
}

/** Options of an MCP server for selected flows. */
export interface McpHandlerOptions {
  /** Name of the server. */
  readonly name: string
  /** Flow files. Tool names are derived from the flow names unless given. */
  readonly tools: readonly (FlowJson | FlowToolOptions)[]
  readonly components: ComponentRegistry
  /** The accepted callers. Required: there is no default. */
  readonly auth: McpAuth
  /** Instructions for the model, read before it calls a tool. */
  readonly instructions?: string
  /** Version of the server. Default `1.0.0`. */
  readonly version?: string
  readonly models?: ChatModel | ModelProviders
  readonly services?: ComponentServices
  readonly limits?: Partial<RunLimits>
  readonly runtime?: Runtime
  /** Store for runs that ask questions. Without it, calls of such flows fail for every client. */
  readonly jobs?: JobStore
  /**
   * Seals the state clients carry until a question is answered; at least 16 characters, equal in every
   * process that shares `jobs`. Default: random.
   */
  readonly stateSecret?: string
  /** Milliseconds. Default 300,000. */
  readonly callTimeoutMs?: number
  /** Concurrent calls per user. Default 256. */
  readonly maxCalls?: number
  /** Maximum size of a message in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /** How long, in milliseconds, clients of 2026-07-28 may cache lists. Default 0. */
  readonly listTtlMs?: number
  readonly resources?: McpResourceSource
  /**
   * Where the server is mounted, such as `/mcp`: other paths get 404. Default: it answers on any path.
   */
  readonly basePath?: string
  /** Page origins that may call, in addition to the server's own. Default: none. */
  readonly allowedOrigins?: readonly string[]
  /** Called with unexpected errors. */
  onError?(error: unknown): void
}

/** The options of an MCP server as they were given, each read once. @throws OptionError */
export const readMcpHandlerOptions = optionCheck<McpHandlerOptions>('flow-api-options.md', {
  name: required(text),
  tools: required(list),
  components: required(runOptionKinds.components),
  // Its kinds are told apart where it is read.
  auth: required(anything),
  instructions: text,
  version: text,
  models: runOptionKinds.models,
  services: runOptionKinds.services,
  limits: runOptionKinds.limits,
  runtime: implementing('Runtime', 'now', 'uuid'),
  jobs: implementing('JobStore'),
  stateSecret: secret(16),
  callTimeoutMs: integer(1),
  maxCalls: integer(1),
  maxBodyBytes: integer(1),
  listTtlMs: integer(0),
  resources: implementing('McpResourceSource', 'list', 'read'),
  basePath: mountPath,
  allowedOrigins: texts,
  onError: callback,
})
