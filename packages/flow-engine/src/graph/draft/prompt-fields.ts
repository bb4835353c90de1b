import {
  promptVariables,
  updatePromptFields,
} from '../../components/built-in/models-and-agents/prompt-variables.ts'
import { templateField } from '../../components/node/create-node.ts'
import type { NodeDetails } from '../flow/node-json.ts'

/** Gives a node a field for each variable of its prompts; fields that it has keep what they say. */
export function addPromptFields(details: NodeDetails): void {
  const mustache = templateField(details.template, 'use_double_brackets')?.value === true
  for (const name of Object.keys(details.template)) {
    const field = templateField(details.template, name)
    const isDouble = field?.type === 'mustache'
    if ((field?.type !== 'prompt' && !isDouble) || typeof field.value !== 'string') continue
    const syntax = { mustache: isDouble || mustache }
    try {
      promptVariables(field.value, syntax)
    } catch {
      // A text that is no template has no variables; its run says what is wrong.
      continue
    }
    const before = { ...details.template }
    const node = { template: details.template, customFields: details.custom_fields }
    const { variables, template, customFields } = updatePromptFields(
      node,
      name,
      field.value,
      syntax,
    )
    for (const variable of variables) {
      const given = templateField(before, variable)
      if (given !== undefined) template[variable] = { ...template[variable], ...given }
    }
    details.template = template
    details.custom_fields = customFields
  }
}
