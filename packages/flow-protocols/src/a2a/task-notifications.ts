import type { StreamResponse } from '@a2a-js/sdk'
import type { StoredJob } from '@x/flow-engine/store'
import type { TurnPart } from '../parts/turn-part.ts'
import type { Turn } from '../turns/turn.ts'
import type { TaskWriter } from './task-writer.ts'

/**
 * What a task notifies about: each change of its status, and each artifact once it is whole. The same log gives the
 * same notifications, so that their number says where another process goes on.
 */
export class TaskNotifications {
  readonly #writer: TaskWriter
  readonly #turn: Turn
  #isWorking = false

  constructor(writer: TaskWriter, turn: Turn) {
    this.#writer = writer
    this.#turn = turn
  }

  read(part: TurnPart): StreamResponse[] {
    const before = this.#isWorking ? [] : [this.#status('running')]
    this.#isWorking = true
    const sent = this.#writer.write(part)
    switch (part.kind) {
      case 'text-end':
        return [...before, ...this.#writer.answer(part.id)]
      case 'block':
      case 'file':
      case 'source':
      case 'surface':
        return [...before, ...sent]
      case 'question':
        return [...before, this.#status('suspended')]
      case 'answer':
      case 'expired':
        return [...before, this.#status('running')]
      case 'end':
        return [...before, this.#status(this.#ended())]
      default:
        return before
    }
  }

  #ended(): StoredJob['state'] {
    const { cancelled, error } = this.#writer.state
    if (cancelled) return 'cancelled'
    return error === undefined ? 'succeeded' : 'failed'
  }

  #status(state: StoredJob['state']): StreamResponse {
    return this.#writer.update({ ...this.#turn, job: { ...this.#turn.job, state, question: {} } })
  }
}
