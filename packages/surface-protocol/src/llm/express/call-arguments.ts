import { quote } from '../../diagnostics/errors.ts'
import type { JsonValue } from '../../json.ts'
import { ProgramFault } from './program-fault.ts'
import type { Argument, Call, Expression } from './program.ts'

/** The id that a call names itself. */
export function idGiven({ args }: Call): string | undefined {
  const given = args.find(({ name }) => name === 'id')?.value
  return given?.kind === 'value' && typeof given.value === 'string' ? given.value : undefined
}

/** The arguments by name. */
export function assigned(call: Call, names: readonly string[]): Map<string, Expression> {
  const found = new Map<string, Expression>()
  let index = 0
  let named: Argument | null = null
  for (const argument of call.args) {
    if (argument.name !== null) {
      named = argument
      found.set(argument.name, argument.value)
      continue
    }
    const name = names[index]
    if (name === undefined || named !== null) {
      const detail =
        named === null
          ? `${quote(call.name)} takes ${names.length} arguments.`
          : `An argument without a name stands behind ${quote(named.name ?? '')}.`
      throw new ProgramFault('malformed_program', detail, argument)
    }
    index += 1
    found.set(name, argument.value)
  }
  return found
}

export function positional({ args }: Call, count: number): (Expression | undefined)[] {
  return args.slice(0, count).map(({ value }) => value)
}

/** The text of an argument. */
export function textOf({ args }: Call, name: string, index = -1): string | undefined {
  const found = args.find((one, at) => one.name === name || (one.name === null && at === index))
  const value = found?.value
  return value?.kind === 'value' && typeof value.value === 'string' ? value.value : undefined
}

/** The flags of a surface. */
export function flagsOf(call: Call): { isUpdate?: boolean; sendDataModel?: JsonValue } {
  const flags: { isUpdate?: boolean; sendDataModel?: JsonValue } = {}
  for (const { name, value, at } of call.args.slice(1)) {
    const given = value.kind === 'value' ? value.value : undefined
    if (typeof given !== 'boolean' || (name !== 'sendDataModel' && name !== 'update')) {
      throw new ProgramFault(
        'malformed_program',
        `surface takes sendDataModel= and update=, not ${quote(name ?? '')}.`,
        { at },
      )
    }
    if (name === 'update') flags.isUpdate = given
    else flags.sendDataModel = given
  }
  return flags
}
