export type {
  CheckpointStore,
  ClaimedJob,
  EventLog,
  JobListQuery,
  JobOutcome,
  JobQueue,
  JobState,
  JobStore,
  JobTokens,
  JobUsage,
  ListedJob,
  LiveBus,
  JobSuspension,
  NewJob,
  PendingJobsQuery,
  StartedJob,
  StoredEvent,
  StoredJob,
} from './store/job-store.ts'
export type { Page, Slice } from './store/paging.ts'
export type { FleetDatabase, FleetProcess, FleetState } from './store/fleet.ts'
export type { ScheduleStore, StoredSchedule } from './store/schedules.ts'
export {
  isQueueFull,
  isStaleWriter,
  isStoreUnavailable,
  isUniqueConflict,
  QueueFullError,
  StaleWriterError,
  StoreUnavailableError,
  UniqueConflictError,
  type UniqueConstraint,
} from './store/store-error.ts'
