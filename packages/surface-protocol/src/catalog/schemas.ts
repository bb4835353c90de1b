import { z } from 'zod'
import type {
  Action,
  BoundBoolean,
  BoundNumber,
  BoundString,
  BoundStringArray,
  Children,
  ComponentId,
} from './slot.ts'

const NO_VALUE = { minProperties: 1 }

/** A string literal or binding. */
export function boundString(): z.ZodType<BoundString, BoundString> {
  return z
    .strictObject({ literalString: z.string().optional(), path: z.string().optional() })
    .meta(NO_VALUE) as unknown as z.ZodType<BoundString, BoundString>
}

/** A number literal or binding. */
export function boundNumber(): z.ZodType<BoundNumber, BoundNumber> {
  return z
    .strictObject({ literalNumber: z.number().optional(), path: z.string().optional() })
    .meta(NO_VALUE) as unknown as z.ZodType<BoundNumber, BoundNumber>
}

/** A boolean literal or binding. */
export function boundBoolean(): z.ZodType<BoundBoolean, BoundBoolean> {
  return z
    .strictObject({ literalBoolean: z.boolean().optional(), path: z.string().optional() })
    .meta(NO_VALUE) as unknown as z.ZodType<BoundBoolean, BoundBoolean>
}

/** A list of strings, as literal or binding. */
export function boundStringArray(): z.ZodType<BoundStringArray, BoundStringArray> {
  return z
    .strictObject({ literalArray: z.array(z.string()).optional(), path: z.string().optional() })
    .meta(NO_VALUE) as unknown as z.ZodType<BoundStringArray, BoundStringArray>
}

/** A component id: an edge of the graph at any depth. */
export function componentRef(): z.ZodType<ComponentId, ComponentId> {
  return z.string().min(1).meta({ title: 'ComponentId' })
}

/** The children of a container: a list or a template. */
export function childrenRef(): z.ZodType<Children, Children> {
  const template = z.strictObject({ componentId: componentRef(), dataBinding: z.string() })
  return z
    .strictObject({
      explicitList: z.array(componentRef()).optional(),
      template: template.optional(),
    })
    .meta({ minProperties: 1, maxProperties: 1 }) as unknown as z.ZodType<Children, Children>
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
  return z.strictObject({
    name: z.string(),
    context: z.array(z.strictObject({ key: z.string(), value })).optional(),
  }) as unknown as z.ZodType<Action, Action>
}
