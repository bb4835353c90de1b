import { bind, type UiContextValue, type UiNode } from '../build/nodes.ts'
import { ui } from '../build/ui.ts'
import type { JsonObject } from '../json.ts'
import { answerFields, fieldKey, type AnswerField } from './answer-field.ts'
import type { QuestionLike } from './question-like.ts'

/** Name of a form's actions, by which `answerOf` recognises them. */
export const ANSWER_ACTION = 'answer_question'

/** The argument of `writer.render`. */
export interface QuestionView {
  readonly root: UiNode
  readonly data: JsonObject
}

/**
 * Presents a question as a surface of version 0.8: its prompt, an input for each property of its schema
 * (arrays, objects and unions as JSON text), and a button for each option, or a submit button.
 */
export function questionSurface(question: QuestionLike): QuestionView {
  const { requestId, prompt, options, actionRequests = [] } = question
  const fields = answerFields(question)
  const inputs: Record<string, UiContextValue> = {}
  for (const [index, field] of fields.entries()) inputs[fieldKey(field)] = bind(pathOf(index))
  const buttons =
    options.length > 0
      ? options.map(({ actionId, label }) => button(label, { ...inputs, requestId, actionId }))
      : [button('Submit', { ...inputs, requestId })]
  const calls = actionRequests.map(({ name, args }) =>
    ui.Text({ text: `${name} ${JSON.stringify(args)}` }),
  )
  return {
    root: ui.Column({
      children: [
        ui.Text({ text: prompt ?? 'A flow asks you', usageHint: 'h3' }),
        ...calls,
        ...fields.map((field, index) => input(field, pathOf(index))),
        ui.Row({ children: buttons }),
      ],
    }),
    data: {
      question: Object.fromEntries(
        fields.map(({ initial }, index) => [
          `f${index}`,
          typeof initial === 'object' ? [...initial] : initial,
        ]),
      ),
    },
  }
}

const pathOf = (index: number): string => `/question/f${index}`

function button(label: string, context: Readonly<Record<string, UiContextValue>>): UiNode {
  return ui.Button({ child: ui.Text({ text: label }), action: { name: ANSWER_ACTION, context } })
}

function input({ type, title, choices }: AnswerField, path: string): UiNode {
  if (type === 'boolean') return ui.CheckBox({ label: title, value: bind(path) })
  if (type === 'choice')
    return ui.MultipleChoice({
      selections: bind(path),
      options: choices.map(({ label, value }) => ({ label, value })),
      maxAllowedSelections: 1,
    })
  const textFieldType = { text: 'shortText', number: 'number', json: 'longText' } as const
  return ui.TextField({ label: title, text: bind(path), textFieldType: textFieldType[type] })
}
