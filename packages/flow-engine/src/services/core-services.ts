import type { FlowEngineOptions } from '../options.ts'
import type { ComponentRegistry } from '../components/registry/registry.ts'
import type { ComponentServices } from '../components/define/services.ts'
import { createApiKeyService, type ApiKeyService } from './api-keys.ts'
import { bundledExamples } from './bundled-examples.ts'
import { bundledPictures } from './bundled-pictures.ts'
import { createCatalogueService, type CatalogueService } from './catalogue.ts'
import type { ComponentStore } from './component-store.ts'
import { createComponentsStoreService, type ComponentsStoreService } from './components-store.ts'
import { createExampleService, type ExampleService } from './examples.ts'
import { createFileService, type FileService } from './files.ts'
import { createFlowService, type FlowService } from './flows.ts'
import type { ServiceKit } from './kit.ts'
import { createKnowledge, createVectorStores } from './collections.ts'
import { createKnowledgeBaseService, type KnowledgeBaseService } from './knowledge-bases.ts'
import { createLocalComponentStore } from './local-component-store.ts'
import { createLoginService, type LoginService } from './login.ts'
import { createMcpServerService, type McpServerService } from './mcp-servers.ts'
import { createMonitorService, type MonitorService } from './monitor.ts'
import { createPasswordResetService, type PasswordResetService } from './password-reset.ts'
import { createProfilePictureService, type ProfilePictureService } from './profile-pictures.ts'
import { createOwnedFlows } from './owned-flows.ts'
import { createProjectService, type ProjectService } from './projects.ts'
import { createSignInLimiter } from './sign-in-limiter.ts'
import { createStatusService, type StatusService } from './status.ts'
import { createStrangerFileService, type StrangerFileService } from './stranger-files.ts'
import { createUserFileService, type UserFileService } from './user-files.ts'
import { createUserService, type UserService } from './users.ts'
import { createValidateService, type ValidateService } from './validate.ts'
import { createVariableService, type VariableService } from './variables.ts'

/** The services that neither build nor run flows. */
export interface CoreServices {
  readonly users: UserService
  readonly login: LoginService
  readonly passwordReset: PasswordResetService
  readonly apiKeys: ApiKeyService
  readonly variables: VariableService
  readonly flows: FlowService
  readonly projects: ProjectService
  readonly files: FileService
  readonly strangerFiles: StrangerFileService
  readonly userFiles: UserFileService
  readonly profilePictures: ProfilePictureService
  readonly monitor: MonitorService
  readonly componentsStore: ComponentsStoreService
  readonly catalogue: CatalogueService
  readonly validate: ValidateService
  readonly mcpServers: McpServerService
  readonly examples: ExampleService
  readonly status: StatusService
  readonly knowledgeBases: KnowledgeBaseService
}

/** The services over one kit. */
export function createCoreServices(
  kit: ServiceKit,
  options: FlowEngineOptions,
  components: ComponentRegistry,
): CoreServices {
  const limiter = options.signInLimiter ?? createSignInLimiter(kit.runtime)
  const injected = options.services ?? {}
  const variables = createVariableService(kit)
  const mcpServers = createMcpServerService(kit, injected.mcp, injected.fetch)
  const modules = options.codeModules ?? []
  const { environment, ...others } = injected
  const servicesOf = (userId: string): ComponentServices => ({
    knowledge: createKnowledge(kit, kit.store.collections, userId),
    vectors: createVectorStores(kit, kit.vectors, userId),
    flows: createOwnedFlows(kit.store, userId),
    ...others,
    ...(kit.settings.fallbackToEnvVar && environment !== undefined ? { environment } : {}),
    ...(options.models === undefined ? {} : { models: options.models }),
    mcp: mcpServers.connector,
    variables: { get: async (name) => (await variables.resolve(userId, name))?.value ?? null },
  })
  return {
    users: createUserService(kit),
    login: createLoginService(kit, limiter, environment ?? {}),
    passwordReset: createPasswordResetService(kit, limiter),
    apiKeys: createApiKeyService(kit),
    variables,
    flows: createFlowService(kit),
    projects: createProjectService(kit),
    files: createFileService(kit),
    strangerFiles: createStrangerFileService(kit),
    userFiles: createUserFileService(kit),
    profilePictures: createProfilePictureService(options.profilePictures, bundledPictures),
    monitor: createMonitorService(kit),
    componentsStore: createComponentsStoreService(kit, componentStoreOf(kit, options)),
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
  { componentStore = true }: FlowEngineOptions,
): ComponentStore | undefined {
  if (componentStore === false || !kit.settings.store) return undefined
  if (componentStore === true) return createLocalComponentStore(kit)
  if ('toggleLike' in componentStore) return componentStore
  return createLocalComponentStore(kit, componentStore)
}
