import type { UserWrite } from '../store/users.ts'
import type { UndoLog } from './table.ts'
import type { TenantState } from './tenant.ts'

/** State shared by the parts of a store during a transaction. */
export interface Session {
  readonly state: (tenant: string) => TenantState
  readonly undo: UndoLog
  readonly onUserWrite: (change: UserWrite) => void | Promise<void>
}
