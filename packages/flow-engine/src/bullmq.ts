export type { RedisAddress } from './bullmq/entries.ts'
export { createBullMqQueue, type BullMqQueue, type BullMqQueueOptions } from './bullmq/queue.ts'
