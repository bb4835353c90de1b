import type { UserWrite } from '../store/users.ts'
import type { UndoLog } from './table.ts'
import type { TenantState } from './tenant.ts'

/** State that the parts of a store share during one transaction. */
export interface Session {
  readonly state: (tenant: string) => TenantState
  readonly undo: UndoLog
  readonly onUserWrite: (change: UserWrite) => void | Promise<void>
}
