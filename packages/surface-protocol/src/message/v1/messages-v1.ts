import type { JsonObject, JsonValue } from '../../json.ts'

/** A component of version 1.0. */
export type ComponentV1 = {
  id: string
  component: string
  /** Also `catalogId`, `accessibility` and `metadata`. */
  [property: string]: JsonValue
}

/** A message from the server to the client, version 1.0. */
export type ServerMessageV1 = { version: 'v1.0' } & (
  | {
      createSurface: {
        surfaceId: string
        catalogId?: string
        sendDataModel?: boolean
        components?: ComponentV1[]
        dataModel?: JsonObject
        metadata?: { extensions?: JsonObject }
      }
    }
  | { updateComponents: { surfaceId: string; components: ComponentV1[] } }
  /** A null value removes the value at the path. */
  | { updateDataModel: { surfaceId: string; path?: string; value: JsonValue } }
  | { deleteSurface: { surfaceId: string } }
  | {
      callRendererFunction: {
        functionCallId: string
        callFunction: { '@call': string; catalogId: string; args?: JsonObject }
        surfaceId?: string
      }
    }
  | { agentFunctionResponse: FunctionResponse }
)

/** The response to a function call: a value or an error. */
export type FunctionResponse = {
  functionCallId: string
  value?: JsonValue
  error?: { code: string; message: string }
}

/** A message from the client to the server, version 1.0. */
export type ClientMessageV1 = { version: 'v1.0' } & (
  | { action: JsonObject }
  | { error: JsonObject }
  | {
      callAgentFunction: {
        surfaceId: string
        functionCallId: string
        callFunction: { '@call': string; catalogId?: string; args?: JsonObject }
      }
    }
  | { rendererFunctionResponse: FunctionResponse }
)
