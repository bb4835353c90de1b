import { codeSamples, type FlowAddress } from './code-samples.ts'
import { byId } from './elements.ts'
import { copied } from './mcp-page.ts'

/** Shows how programs call a flow with the clients of the OpenAI API (RS-55). */
export function showSamples(flow: FlowAddress): void {
  const { base, model, typescript, python } = codeSamples(location.origin, flow)
  byId('samples', HTMLDivElement).replaceChildren(
    ...copied('Base URL', base),
    ...copied('Model', model),
    ...copied('TypeScript', typescript),
    ...copied('Python', python),
  )
}
