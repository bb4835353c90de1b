import { z } from 'zod'
import type { JsonValue } from '../json.ts'
import type {
  Action,
  BoundBoolean,
  BoundNumber,
  BoundString,
  BoundStringArray,
  Children,
  ComponentId,
} from './slot.ts'

/** Member of a schema that names the common type it stands for from version 0.9 on. */
export const COMMON_TYPE = 'x-a2ui'

const marked = (type: string): Record<string, unknown> => ({
  minProperties: 1,
  [COMMON_TYPE]: type,
})

/** A string literal or binding; from version 0.9.1 on a string, a binding or a call. The other helpers likewise. */
export function boundString(): z.ZodType<BoundString, BoundString> {
  return z
    .strictObject({ literalString: z.string().optional(), path: z.string().optional() })
    .meta(marked('DynamicString')) as unknown as z.ZodType<BoundString, BoundString>
}

/** A number literal or binding. */
export function boundNumber(): z.ZodType<BoundNumber, BoundNumber> {
  return z
    .strictObject({ literalNumber: z.number().optional(), path: z.string().optional() })
    .meta(marked('DynamicNumber')) as unknown as z.ZodType<BoundNumber, BoundNumber>
}

/** A boolean literal or binding. */
export function boundBoolean(): z.ZodType<BoundBoolean, BoundBoolean> {
  return z
    .strictObject({ literalBoolean: z.boolean().optional(), path: z.string().optional() })
    .meta(marked('DynamicBoolean')) as unknown as z.ZodType<BoundBoolean, BoundBoolean>
}

/** A list of strings, as literal or binding. */
export function boundStringArray(): z.ZodType<BoundStringArray, BoundStringArray> {
  return z
    .strictObject({ literalArray: z.array(z.string()).optional(), path: z.string().optional() })
    .meta(marked('DynamicStringList')) as unknown as z.ZodType<BoundStringArray, BoundStringArray>
}

/** A component id: an edge of the graph at any depth. */
export function componentRef(): z.ZodType<ComponentId, ComponentId> {
  return z
    .string()
    .min(1)
    .meta({ title: 'ComponentId', [COMMON_TYPE]: 'ComponentId' })
}

/** The children of a container: a list or a template. */
export function childrenRef(): z.ZodType<Children, Children> {
  const template = z.strictObject({ componentId: componentRef(), dataBinding: z.string() })
  return z
    .strictObject({
      explicitList: z.array(componentRef()).optional(),
      template: template.optional(),
    })
    .meta({ ...marked('ChildList'), maxProperties: 1 }) as unknown as z.ZodType<Children, Children>
}

/** The action sent to the server on user interaction. */
export function actionSchema(): z.ZodType<Action, Action> {
  const value = z
    .strictObject({
      path: z.string().optional(),
      literalString: z.string().optional(),
      literalNumber: z.number().optional(),
      literalBoolean: z.boolean().optional(),
    })
    .meta({
      minProperties: 1,
      not: {
        anyOf: [
          { required: ['literalString', 'literalNumber'] },
          { required: ['literalString', 'literalBoolean'] },
          { required: ['literalNumber', 'literalBoolean'] },
        ],
      },
    })
  return z
    .strictObject({
      name: z.string(),
      context: z.array(z.strictObject({ key: z.string(), value })).optional(),
    })
    .meta({ [COMMON_TYPE]: 'Action' }) as unknown as z.ZodType<Action, Action>
}

/** Any JSON value, as literal, binding or call. In version 0.8 any JSON. */
export function boundValue(): z.ZodType<JsonValue, JsonValue> {
  return z.json().meta({ [COMMON_TYPE]: 'DynamicValue' })
}

/** Checks of an input, from version 0.9.1 on: a condition and the message that is shown if it fails. */
export function checksSchema(): z.ZodType<readonly Check[], readonly Check[]> {
  const check = z.object({ condition: z.json(), message: z.string() })
  return z.array(check).meta({ [COMMON_TYPE]: 'Checkable' })
}

/** A check as it is sent, or as the builder takes it. */
interface Check {
  readonly condition: unknown
  readonly message?: string
}
