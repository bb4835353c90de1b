import { createWorkBudget } from '@x/wire'
import { FlowError } from '../../errors.ts'

/** Maximum number of characters of a table as text; every row is as wide as the widest. */
export const MAX_CHARACTERS = 16 * 1024 * 1024
/** Yields to the event loop after this many cells. */
const PART = 10_000
/** Characters that cost as much as a cell. */
const CHARACTERS_OF_A_UNIT = 8

/**
 * Counts the characters of all cells, as every row is as wide as the widest. Returns true when it is time to
 * yield to the event loop.
 * @throws FlowError `limit_exceeded`
 */
export function createCharacterCount(): (text: string) => boolean {
  const step = createWorkBudget(PART)
  let characters = 0
  return ({ length }) => {
    characters += length
    if (characters > MAX_CHARACTERS) throw tableTooLarge()
    return step(1 + length / CHARACTERS_OF_A_UNIT)
  }
}

export function tableTooLarge(): FlowError {
  return new FlowError(
    'limit_exceeded',
    `The table as text has more than ${MAX_CHARACTERS} characters: a long cell makes each row as long`,
  )
}
