import type { NewJob } from '../store/job-store.ts'

const start = Date.UTC(2030, 0, 1)
/** A test time, in milliseconds after the start. */
export const at = (ms: number): Date => new Date(start + ms)

export function newJob(id: string, more: Partial<NewJob> = {}): NewJob {
  return {
    id,
    flowId: 'flow-1',
    userId: null,
    request: '{"text":"ünïcode"}',
    resumable: false,
    lane: '',
    createdAt: at(0),
    maxRunningPerUser: null,
    flowVersion: null,
    sessionId: null,
    priority: 0,
    maxQueued: null,
    ...more,
  }
}
