/** What a program needs to call a flow with a client of the OpenAI API (RS-55). */
export interface CodeSamples {
  /** Base URL of the clients. */
  readonly base: string
  /** The model name for clients: the endpoint name of the flow, else its id. */
  readonly model: string
  /** Programs that ask the flow once; the key is in the variable `FLOW_API_KEY`. */
  readonly typescript: string
  readonly python: string
}

export interface FlowAddress {
  readonly id: string
  readonly endpoint_name: string | null
}

/** @param origin of the service, without a path */
export function codeSamples(origin: string, { id, endpoint_name: name }: FlowAddress): CodeSamples {
  const base = `${origin}/api/openai/v1`
  const model = name ?? id
  return {
    base,
    model,
    typescript: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${base}', apiKey: process.env.FLOW_API_KEY })
const response = await client.responses.create({ model: '${model}', input: 'Hello' })
console.log(response.output_text)`,
    python: `import os
from openai import OpenAI

client = OpenAI(base_url="${base}", api_key=os.environ["FLOW_API_KEY"])
response = client.responses.create(model="${model}", input="Hello")
print(response.output_text)`,
  }
}
