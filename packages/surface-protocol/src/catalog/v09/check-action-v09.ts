import { isPlainObject } from '../../json.ts'
import { refuse, type CheckContext } from './check-slot-v09.ts'

type CheckMember<C> = (member: Record<string, unknown>, context: C) => void

/** Validates an action: `{event}` or `{functionCall}`, exactly one of them. */
export function checkActionV09<C extends CheckContext>(
  value: unknown,
  context: C,
  members: { readonly event: CheckMember<C>; readonly functionCall: CheckMember<C> },
): void {
  if (!isPlainObject(value)) return refuse(context, 'an object')
  const { report } = context
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  const [name] = names
  if (names.length !== 1 || (name !== 'event' && name !== 'functionCall')) {
    const hint = typeof value.name === 'string' ? 'event' : undefined
    report.must('not_exactly_one', 'an object with either event or functionCall', { hint })
    return
  }
  report.path.push(name)
  const member = value[name]
  if (isPlainObject(member)) members[name](member, context)
  else refuse(context, 'an object')
  report.path.pop()
}
