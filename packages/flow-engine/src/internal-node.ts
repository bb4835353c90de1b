// What the sibling packages need on Node, and hosts do not.
export { type Subject, conflicts, describeStore } from './contract/subject.ts'
export { whileHoldingSlot } from './node/user-queue.ts'
export { createWorkerPool } from './node/worker-pool.ts'
