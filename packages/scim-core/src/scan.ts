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
  ScanWant,
} from './scan/types.ts'
