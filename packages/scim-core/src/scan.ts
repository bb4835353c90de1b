export { createScanStore } from './scan/store.ts'
export { ScanLimitError } from './scan/workspace.ts'
export type {
  ScanChanges,
  ScanData,
  ScanGroup,
  ScanMember,
  ScanPage,
  ScanStoreOptions,
  ScanUpdate,
  ScanUser,
  ScanRequest,
} from './scan/types.ts'
