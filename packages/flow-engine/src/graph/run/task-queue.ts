import type { Task } from '../schedule/task.ts'
import { createPooledArray } from '../values/create-pooled-array.ts'

/** Tasks waiting for a free slot, in the order they became ready. */
export class TaskQueue {
  #tasks: Task[] = createPooledArray()
  #next = 0

  get isEmpty(): boolean {
    return this.#tasks.length === 0
  }

  add(task: Task): void {
    this.#tasks.push(task)
  }

  take(): Task | undefined {
    const task = this.#tasks[this.#next]
    this.#next += 1
    if (this.#next >= this.#tasks.length) {
      this.#tasks = createPooledArray()
      this.#next = 0
    }
    return task
  }
}
