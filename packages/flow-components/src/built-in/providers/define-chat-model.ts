import type { ChatModel } from '@x/flow-engine'
import type { ComponentMetadata } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import type { Fields, Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { chatFields } from './chat-fields.ts'
import { answerInput } from './compatible-model.ts'

interface ChatModelDefinition<I extends Fields> extends ComponentMetadata {
  readonly icon: string
  /** The inputs after Input, System Message and Stream, which come first. */
  readonly inputs: I
  readonly build: (
    inputs: Values<I & typeof chatFields>,
    ctx: ComponentContext,
  ) => Promise<ChatModel>
}

/**
 * Defines the component of a provider's chat model: it answers its input and supplies the model to other
 * components.
 */
export function defineChatModel<I extends Fields>(definition: ChatModelDefinition<I>) {
  const { build, inputs: own, ...facts } = definition
  const inputs: I & typeof chatFields = { ...chatFields, ...own }
  type Inputs = Values<I & typeof chatFields>
  return defineComponent({
    ...facts,
    inputs,
    outputs: {
      text_output: output.message({
        displayName: 'Model Response',
        method: 'text_response',
        async run(given: Inputs, ctx) {
          const question: Values<typeof chatFields> = given
          return answerInput(await build(given, ctx), question, ctx, facts.icon)
        },
      }),
      model_output: output.model({
        displayName: 'Language Model',
        method: 'build_model',
        run: (given: Inputs, ctx) => build(given, ctx),
      }),
    },
  })
}
