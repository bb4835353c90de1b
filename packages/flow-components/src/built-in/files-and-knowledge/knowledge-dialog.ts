import { field } from '@x/flow-engine'
import { fieldToTemplate } from '@x/flow-engine/internal'
import { knowledgeModels } from './knowledge-model.ts'

const ICONS = new Map([
  ['OpenAI', 'OpenAI'],
  ['HuggingFace', 'HuggingFace'],
  ['Cohere', 'Cohere'],
])

/** The editor's dialog for a new knowledge base, in wire format. */
export function createDialog(): object {
  const template = {
    '01_new_kb_name': fieldToTemplate(
      'new_kb_name',
      field.string({
        displayName: 'Knowledge Name',
        info: '3 to 63 letters, digits, underscores and hyphens.',
        required: true,
      }),
    ),
    '02_embedding_model': fieldToTemplate(
      'embedding_model',
      field.dropdown({
        displayName: 'Choose Embedding',
        required: true,
        options: knowledgeModels.map(({ model }) => model),
        attributes: {
          options_metadata: knowledgeModels.map(({ provider }) => ({ icon: ICONS.get(provider) })),
        },
      }),
    ),
    '03_api_key': fieldToTemplate(
      'api_key',
      field.secret({ displayName: 'API Key', required: true, loadFromDb: false }),
    ),
  }
  return {
    functionality: 'create',
    fields: {
      data: {
        node: {
          name: 'create_knowledge_base',
          display_name: 'Create new knowledge',
          description: 'A new knowledge base.',
          field_order: Object.keys(template),
          template,
        },
      },
    },
  }
}
