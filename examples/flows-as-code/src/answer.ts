import { builtinComponents } from '@x/flow-components'
import { createRegistry, runFlow, type ComponentServices } from '@x/flow-engine'
import support from '../flows/support.json.js'

const components = createRegistry(builtinComponents)

/** Answers a question; a node that was renamed in the editor does not compile here. */
export async function answer(
  input: string,
  { tone, ...services }: ComponentServices & { readonly tone: string },
): Promise<string> {
  const run = runFlow(support, {
    components,
    input,
    inputs: { 'Prompt Template': { tone } },
    services,
  })
  const message = (await run.result).output('Chat Output')
  return typeof message?.text === 'string' ? message.text : ''
}
