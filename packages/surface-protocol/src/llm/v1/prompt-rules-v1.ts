import type { PromptRules } from '../prompt.ts'

/** The description of version 1.0's messages for a model. */
export const promptRulesV1: PromptRules = {
  messages: {
    createSurface:
      '{"surfaceId":ID,"catalogId":ID?,"components":[...]?,"dataModel":{...}?,"sendDataModel":BOOLEAN?}: begins a surface, best with its components and data; comes first.',
    updateComponents:
      '{"surfaceId":ID,"components":[{"id":ID,"component":TYPE,"catalogId":ID?,...PROPERTIES}]}: adds or replaces components; one of them has the id "root".',
    updateDataModel:
      '{"surfaceId":ID,"path":POINTER?,"value":JSON}: sets what stands at the path ("/" is all); a value of null removes it.',
    deleteSurface: '{"surfaceId":ID}: removes the surface.',
    callRendererFunction:
      '{"functionCallId":ID,"callFunction":{"@call":FUNCTION,"catalogId":ID,"args":{...}},"surfaceId":ID?}: calls a function of the client.',
  },
  rules: [
    'A binding is {"@path":POINTER}; a call is {"@call":FUNCTION,"args":{...},"catalogId":ID?}. A key of data that begins with "@" doubles it.',
    '{"@call":"@index","args":{"offset":N}} is the position in the nearest list of children.',
    'action = {"event":{"name":S,"userMessage":dynamic string?,"context":{KEY:VALUE}?}} for the server, or {"functionCall":CALL}.',
    'checks = [{"condition":binding or call,"message":S?}].',
    'Ids and names are identifiers: a letter or "_", then letters, digits and "_".',
  ],
}
