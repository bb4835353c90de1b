import type { NewJob } from '../store/job-store.ts'

const start = Date.UTC(2030, 0, 1)
/** A time of the tests, in milliseconds after their begin. */
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
    maxQueued: null,
    ...more,
  }
}
