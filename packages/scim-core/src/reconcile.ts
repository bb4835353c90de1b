export {
  compareDirectory,
  type ComparedUser,
  type CompareOptions,
  type DirectoryComparison,
  type DirectoryRow,
  type Found,
} from './reconcile/compare-directory.ts'
export { csvRows } from './reconcile/csv-rows.ts'
