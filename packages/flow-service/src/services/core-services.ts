import type { StoredEngineOptions } from '../options.ts'
import type { ComponentServices } from '@x/flow-engine'
import { withBudget } from '@x/flow-engine/internal'
import { createApiKeyService, type ApiKeyService } from './accounts/api-keys.ts'
import { bundledExamples } from './flows/bundled-examples.ts'
import { bundledPictures } from './files/bundled-pictures.ts'
import { createBudgetService, type BudgetService } from './budgets/budgets.ts'
import { createCatalogueService, type CatalogueService } from './catalogue/catalogue.ts'
import type { ComponentStore } from './component-store/component-store.ts'
import {
  createComponentStoreService,
  type ComponentStoreService,
} from './component-store/component-store-service.ts'
import { createExampleService, type ExampleService } from './flows/examples.ts'
import { createFileService, type FileService } from './files/files.ts'
import { createFlowCheckService, type FlowCheckService } from './flows/check-flow.ts'
import { createFlowVersionService, type FlowVersionService } from './flows/flow-versions.ts'
import { createFlowService, type FlowService } from './flows/flows.ts'
import type { ServiceDependencies } from './base/dependencies.ts'
import { createKnowledge, createVectorStores } from './collections/collections.ts'
import {
  createKnowledgeBaseService,
  type KnowledgeBaseService,
} from './collections/knowledge-bases.ts'
import { createLocalComponentStore } from './component-store/local-component-store.ts'
import { createLoginService, type LoginService } from './accounts/login.ts'
import { createMcpServerService, type McpServerService } from './mcp/mcp-servers.ts'
import { createMonitorService, type MonitorService } from './runs/monitor.ts'
import { createPasswordResetService, type PasswordResetService } from './accounts/password-reset.ts'
import {
  createProfilePictureService,
  type ProfilePictureService,
} from './files/profile-pictures.ts'
import { createOwnedFlows } from './flows/owned-flows.ts'
import { createProjectService, type ProjectService } from './flows/projects.ts'
import { createSecretService, type SecretService } from './flows/stored-secrets.ts'
import { createSignInLimiter } from './accounts/sign-in-limiter.ts'
import { createStatusService, type StatusService } from './base/status.ts'
import {
  createAnonymousUploadService,
  type AnonymousUploadService,
} from './files/anonymous-uploads.ts'
import { createUserFileService, type UserFileService } from './files/user-files.ts'
import { createUserService, type UserService } from './accounts/users.ts'
import { createValidateService, type ValidateService } from './catalogue/validate.ts'
import { createVariableService, type VariableService } from './accounts/variables.ts'

/** The services that neither build nor run flows. */
export interface CoreServices {
  readonly users: UserService
  readonly login: LoginService
  readonly passwordReset: PasswordResetService
  readonly apiKeys: ApiKeyService
  readonly variables: VariableService
  readonly secrets: SecretService
  readonly flows: FlowService
  readonly versions: FlowVersionService
  readonly checks: FlowCheckService
  readonly projects: ProjectService
  readonly files: FileService
  readonly anonymousUploads: AnonymousUploadService
  readonly userFiles: UserFileService
  readonly profilePictures: ProfilePictureService
  readonly monitor: MonitorService
  readonly componentStore: ComponentStoreService
  readonly catalogue: CatalogueService
  readonly validate: ValidateService
  readonly mcpServers: McpServerService
  readonly examples: ExampleService
  readonly status: StatusService
  readonly knowledgeBases: KnowledgeBaseService
  readonly budgets: BudgetService
}

/** Creates the services from what they share. */
export function createCoreServices(
  deps: ServiceDependencies,
  options: StoredEngineOptions,
): CoreServices {
  const { components } = deps
  const limiter = options.signInLimiter ?? createSignInLimiter(deps.runtime)
  const injected = options.services ?? {}
  const variables = createVariableService(deps)
  const mcpServers = createMcpServerService(deps, injected.mcp, injected.fetch)
  const modules = options.codeModules ?? []
  const { environment, ...others } = injected
  const budgets = createBudgetService({
    options,
    store: deps.store.budgets,
    runtime: deps.runtime,
    metrics: options.metrics,
    report: (error) => deps.report(error),
  })
  const servicesFor = (userId: string): ComponentServices => ({
    knowledge: createKnowledge(deps, deps.store.collections, userId),
    vectors: createVectorStores(deps, deps.vectors, userId),
    flows: createOwnedFlows(deps.store, userId),
    ...others,
    ...(deps.settings.fallbackToEnvVar && environment !== undefined ? { environment } : {}),
    ...(options.models === undefined ? {} : { models: options.models }),
    mcp: mcpServers.connector,
    variables: { get: async (name) => (await variables.resolve(userId, name))?.value ?? null },
  })
  const servicesOf = (userId: string): ComponentServices => {
    const budget = budgets.of({ userId })
    const services = servicesFor(userId)
    return budget === undefined ? services : withBudget(services, budget)
  }
  return {
    budgets,
    users: createUserService(deps),
    login: createLoginService(deps, limiter, environment ?? {}),
    passwordReset: createPasswordResetService(deps, limiter),
    apiKeys: createApiKeyService(deps),
    variables,
    secrets: createSecretService(deps),
    flows: createFlowService(deps),
    versions: createFlowVersionService(deps),
    checks: createFlowCheckService(
      deps.store,
      { components, limits: options.limits, customCode: injected.codeRunner },
      { variables, environment: deps.settings.fallbackToEnvVar ? environment : undefined },
    ),
    projects: createProjectService(deps),
    files: createFileService(deps),
    anonymousUploads: createAnonymousUploadService(deps),
    userFiles: createUserFileService(deps),
    profilePictures: createProfilePictureService(options.profilePictures, bundledPictures),
    monitor: createMonitorService(deps),
    componentStore: createComponentStoreService(deps, componentStoreOf(deps, options)),
    catalogue: createCatalogueService({ components, servicesOf, modules }),
    validate: createValidateService(modules),
    mcpServers,
    examples: createExampleService(
      () => options.examples ?? bundledExamples(components),
      deps.runtime,
    ),
    status: createStatusService(deps),
    knowledgeBases: createKnowledgeBaseService(deps),
  }
}

function componentStoreOf(
  deps: ServiceDependencies,
  { componentStore = true }: StoredEngineOptions,
): ComponentStore | undefined {
  if (componentStore === false || !deps.settings.store) return undefined
  if (componentStore === true) return createLocalComponentStore(deps)
  if ('toggleLike' in componentStore) return componentStore
  return createLocalComponentStore(deps, componentStore)
}
