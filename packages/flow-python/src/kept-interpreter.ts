import type { GuestObjects } from './guest-objects.ts'
import type { Interpreter, InterpreterHost } from './interpreter.ts'

/** The interpreter of a build whose objects other components use, and how to make it again. */
export class KeptInterpreter {
  interpreter: Interpreter | undefined
  job: object = {}
  /**
   * Answers the job when it runs again: the objects get their former numbers, and nothing is shown twice.
   */
  silentHost: InterpreterHost = REFUSING
  #guest: GuestObjects | undefined

  expect(guest: GuestObjects, host: InterpreterHost): void {
    this.#guest = guest
    this.silentHost = {
      notice: () => undefined,
      call(question, signal) {
        if (question['op'] === 'keep') return Promise.resolve(guest.numberOf(question['number']))
        return question['op'] === 'message'
          ? Promise.resolve(question['message'])
          : host.call(question, signal)
      },
    }
  }

  /** Tests whether the interpreter that has done the job is used further. */
  wants(interpreter: Interpreter, job: object): boolean {
    if (this.#guest === undefined || this.#guest.count === 0) return false
    this.interpreter = interpreter
    this.job = job
    return true
  }
}

const REFUSING: InterpreterHost = {
  notice: () => undefined,
  call: () => Promise.reject(new TypeError('not offered')),
}
