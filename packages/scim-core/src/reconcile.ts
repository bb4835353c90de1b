export {
  compareDirectory,
  type ComparedUser,
  type CompareOptions,
  type DirectoryComparison,
  type DirectoryRow,
  type Found,
} from './reconcile/compare-directory.ts'
export { csvRows } from './reconcile/csv-rows.ts'
export {
  createReconciliation,
  type ReconcileReport,
  type ReconcileRow,
  type Reconciliation,
  type ReconciliationOptions,
  type ReportOptions,
  type UnmanagedAccount,
} from './reconcile/reconciliation.ts'
export { RECONCILE_REASONS, type FoundReason, type ReconcileReason } from './reconcile/reasons.ts'
export { type NamedCredential, type ReconcileConnections } from './reconcile/source-states.ts'
