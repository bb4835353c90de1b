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
import type { ServiceKit } from './base/kit.ts'
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
import { createStrangerFileService, type StrangerFileService } from './files/stranger-files.ts'
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
  readonly strangerFiles: StrangerFileService
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

/** Creates the services from a shared kit. */
export function createCoreServices(kit: ServiceKit, options: StoredEngineOptions): CoreServices {
  const { components } = kit
  const limiter = options.signInLimiter ?? createSignInLimiter(kit.runtime)
  const injected = options.services ?? {}
  const variables = createVariableService(kit)
  const mcpServers = createMcpServerService(kit, injected.mcp, injected.fetch)
  const modules = options.codeModules ?? []
  const { environment, ...others } = injected
  const budgets = createBudgetService({
    options,
    store: kit.store.budgets,
    runtime: kit.runtime,
    metrics: options.metrics,
    report: (error) => kit.report(error),
  })
  const servicesFor = (userId: string): ComponentServices => ({
    knowledge: createKnowledge(kit, kit.store.collections, userId),
    vectors: createVectorStores(kit, kit.vectors, userId),
    flows: createOwnedFlows(kit.store, userId),
    ...others,
    ...(kit.settings.fallbackToEnvVar && environment !== undefined ? { environment } : {}),
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
    users: createUserService(kit),
    login: createLoginService(kit, limiter, environment ?? {}),
    passwordReset: createPasswordResetService(kit, limiter),
    apiKeys: createApiKeyService(kit),
    variables,
    secrets: createSecretService(kit),
    flows: createFlowService(kit),
    versions: createFlowVersionService(kit),
    checks: createFlowCheckService(
      kit.store,
      { components, limits: options.limits, customCode: injected.codeRunner },
      { variables, environment: kit.settings.fallbackToEnvVar ? environment : undefined },
    ),
    projects: createProjectService(kit),
    files: createFileService(kit),
    strangerFiles: createStrangerFileService(kit),
    userFiles: createUserFileService(kit),
    profilePictures: createProfilePictureService(options.profilePictures, bundledPictures),
    monitor: createMonitorService(kit),
    componentStore: createComponentStoreService(kit, componentStoreOf(kit, options)),
    catalogue: createCatalogueService({ components, servicesOf, modules }),
    validate: createValidateService(modules),
    mcpServers,
    examples: createExampleService(
      () => options.examples ?? bundledExamples(components),
      kit.runtime,
    ),
    status: createStatusService(kit),
    knowledgeBases: createKnowledgeBaseService(kit),
  }
}

function componentStoreOf(
  kit: ServiceKit,
  { componentStore = true }: StoredEngineOptions,
): ComponentStore | undefined {
  if (componentStore === false || !kit.settings.store) return undefined
  if (componentStore === true) return createLocalComponentStore(kit)
  if ('toggleLike' in componentStore) return componentStore
  return createLocalComponentStore(kit, componentStore)
}
