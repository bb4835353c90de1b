import { nameProblem } from '@x/wire'
import { invalidValue } from '../base/errors.ts'
import { emailProblem } from '../schema/email-address.ts'

/** Creates the check of a new userName; it throws a ScimError invalidValue that says why a name is refused. */
export function userNameCheck(
  rule: 'email' | 'any' | ((value: string) => boolean),
): (value: string) => void {
  if (typeof rule === 'function') {
    return (value) => {
      if (!rule(value)) throw invalidValue('The attribute userName must be a valid name.')
    }
  }
  return (value) => {
    const reason = rule === 'email' ? emailProblem(value) : null
    if (reason !== null) {
      throw invalidValue(`The attribute userName must be an e-mail address: ${reason}.`)
    }
    const problem = nameProblem(value)
    if (problem !== null) throw invalidValue(`The attribute userName ${problem}.`)
  }
}
