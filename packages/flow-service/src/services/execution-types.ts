import type { ComponentRegistry } from '@x/flow-engine'
import type { DoorServices } from './doors/doors.ts'
import type { FleetService } from './runs/fleet.ts'
import type { BuildJobs } from '@x/flow-engine'
import type { StoredEngineOptions } from '../options.ts'
import type { McpServerService } from './mcp/mcp-servers.ts'
import type { McpTransport } from './mcp/mcp-transport.ts'
import type { OpenAiService } from './openai/chat-completions.ts'
import type { OpenAiResponsesService } from './openai/openai-responses.ts'
import type { ResponsesService } from './answers/responses.ts'
import type { JobOwner } from './base/job-owner.ts'
import type { BuildService } from './builds/builds.ts'
import type { CoreServices } from './core-services.ts'
import type { ServiceDependencies } from './base/dependencies.ts'
import type { RunService } from './runs/run-service.ts'
import type { QuestionService } from './runs/questions.ts'
import type { TraceService } from './runs/traces.ts'
import type { VertexService } from './builds/vertices.ts'
import type { WebhookService } from './builds/webhooks.ts'

/** All services that run flows. */
export interface ExecutionServices {
  readonly builds: BuildService
  readonly questions: QuestionService
  readonly vertices: VertexService
  readonly runs: RunService
  readonly webhooks: WebhookService
  readonly responses: ResponsesService
  readonly openAi: OpenAiService
  readonly openAiResponses: OpenAiResponsesService
  readonly mcp: McpTransport
  readonly doors: DoorServices
  readonly traces: TraceService
  readonly fleet: FleetService
}

export interface ExecutionServicesOptions extends Pick<
  CoreServices,
  'budgets' | 'flows' | 'versions' | 'variables' | 'apiKeys' | 'projects' | 'files' | 'userFiles'
> {
  readonly deps: ServiceDependencies
  readonly components: ComponentRegistry
  readonly options: StoredEngineOptions
  readonly mcpServers: Pick<McpServerService, 'offerProjects'>
}

export interface FlowExecution {
  readonly services: ExecutionServices
  readonly jobs: BuildJobs
  /** Ends waiting, running and suspended jobs of these flows or this user. */
  cancelBuilds(of: JobOwner): Promise<void>
  close(): Promise<void>
}
