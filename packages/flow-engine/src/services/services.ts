import type { ApiKeyService } from './api-keys.ts'
import type { ExampleService } from './examples.ts'
import type { FlowService } from './flows.ts'
import type { LoginService } from './login.ts'
import type { ProjectService } from './projects.ts'
import type { StatusService } from './status.ts'
import type { UserService } from './users.ts'
import type { VariableService } from './variables.ts'

/** The rules of the flow service, without HTTP. */
export interface FlowServices {
  readonly users: UserService
  readonly login: LoginService
  readonly apiKeys: ApiKeyService
  readonly variables: VariableService
  readonly flows: FlowService
  readonly projects: ProjectService
  readonly examples: ExampleService
  readonly status: StatusService
}
