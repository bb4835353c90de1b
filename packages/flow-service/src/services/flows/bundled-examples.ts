import type { ComponentRegistry } from '@x/flow-engine'
import { exampleGraph, type ExampleEdge, type ExampleNode } from './example-graph.ts'
import type { ExampleFlow } from './examples.ts'

interface Example extends Omit<ExampleFlow, 'data'> {
  readonly nodes: readonly ExampleNode[]
  readonly edges: readonly ExampleEdge[]
}

/** The variable a user stores once for all examples. */
const WITH_KEY = { api_key: 'OPENAI_API_KEY' }

/** Original examples; the web editor refers to three of them by name. */
const examples: readonly Example[] = [
  {
    id: '6f1c0c1e-51f1-4a52-8c5e-0b7f3a1d0001',
    name: 'Basic Prompting',
    description: 'A model answers in the manner that a prompt asks for.',
    icon: 'Braces',
    iconBgColor: '#dbeafe',
    gradient: '0',
    tags: ['chatbots'],
    nodes: [
      { type: 'ChatInput', key: 'input', at: [0, 0] },
      {
        type: 'Prompt Template',
        key: 'prompt',
        at: [0, 1],
        values: { template: 'You are a patient teacher. Explain things in two short sentences.' },
      },
      { type: 'LanguageModelComponent', key: 'model', at: [1, 0], values: WITH_KEY },
      { type: 'ChatOutput', key: 'output', at: [2, 0] },
    ],
    edges: [
      ['input.message', 'model.input_value'],
      ['prompt.prompt', 'model.system_message'],
      ['model.text_output', 'output.input_value'],
    ],
  },
  {
    id: '6f1c0c1e-51f1-4a52-8c5e-0b7f3a1d0002',
    name: 'Vector Store RAG',
    description: 'Reads a document, finds the parts that fit a question and answers from them.',
    icon: 'Database',
    iconBgColor: '#dcfce7',
    gradient: '1',
    tags: ['rag', 'q-a'],
    nodes: [
      { type: 'File', key: 'file', at: [0, 1] },
      { type: 'SplitText', key: 'split', at: [1, 1] },
      { type: 'OpenAIEmbeddings', key: 'vectors', at: [1, 2] },
      { type: 'ChatInput', key: 'question', at: [0, 0] },
      { type: 'Chroma', key: 'store', at: [2, 1] },
      { type: 'ParserComponent', key: 'parser', at: [3, 1], values: { pattern: '{text}' } },
      {
        type: 'Prompt Template',
        key: 'prompt',
        at: [4, 0],
        values: {
          template:
            'Answer from these notes only; say so when they do not tell.\n\n{notes}\n\nQuestion: {question}',
        },
      },
      { type: 'LanguageModelComponent', key: 'model', at: [5, 0], values: WITH_KEY },
      { type: 'ChatOutput', key: 'output', at: [6, 0] },
    ],
    edges: [
      ['file.message', 'split.data_inputs'],
      ['split.dataframe', 'store.ingest_data'],
      ['vectors.embeddings', 'store.embedding'],
      ['question.message', 'store.search_query'],
      ['store.dataframe', 'parser.input_data'],
      ['parser.parsed_text', 'prompt.notes'],
      ['question.message', 'prompt.question'],
      ['prompt.prompt', 'model.input_value'],
      ['model.text_output', 'output.input_value'],
    ],
  },
  {
    id: '6f1c0c1e-51f1-4a52-8c5e-0b7f3a1d0003',
    name: 'Simple Agent',
    description: 'An agent that may calculate and read web pages to find its answer.',
    icon: 'Bot',
    iconBgColor: '#fae8ff',
    gradient: '2',
    tags: ['agents', 'assistants'],
    nodes: [
      { type: 'ChatInput', key: 'input', at: [0, 0] },
      { type: 'CalculatorComponent', key: 'calculator', at: [0, 1], toolMode: true },
      { type: 'URLComponent', key: 'pages', at: [0, 2], toolMode: true },
      { type: 'Agent', key: 'agent', at: [1, 0], values: WITH_KEY },
      { type: 'ChatOutput', key: 'output', at: [2, 0] },
    ],
    edges: [
      ['input.message', 'agent.input_value'],
      ['calculator.component_as_tool', 'agent.tools'],
      ['pages.component_as_tool', 'agent.tools'],
      ['agent.response', 'output.input_value'],
    ],
  },
  {
    id: '6f1c0c1e-51f1-4a52-8c5e-0b7f3a1d0004',
    name: 'Echo',
    description: 'Repeats its input. Needs no model and no network.',
    icon: 'Repeat',
    iconBgColor: '#fef9c3',
    gradient: '3',
    tags: ['chatbots'],
    nodes: [
      { type: 'ChatInput', key: 'input', at: [0, 0] },
      {
        type: 'Prompt Template',
        key: 'prompt',
        at: [1, 0],
        values: { template: 'You said: {words}' },
      },
      { type: 'ChatOutput', key: 'output', at: [2, 0] },
    ],
    edges: [
      ['input.message', 'prompt.words'],
      ['prompt.prompt', 'output.input_value'],
    ],
  },
  {
    id: '6f1c0c1e-51f1-4a52-8c5e-0b7f3a1d0005',
    name: 'Greeting Switch',
    description: 'Takes one way for greetings and another for everything else. Works offline.',
    icon: 'GitFork',
    iconBgColor: '#ffedd5',
    gradient: '4',
    tags: ['classification'],
    nodes: [
      { type: 'ChatInput', key: 'input', at: [0, 0] },
      {
        type: 'ConditionalRouter',
        key: 'router',
        at: [1, 0],
        values: { operator: 'contains', match_text: 'hello' },
      },
      {
        type: 'Prompt Template',
        key: 'greeting',
        at: [2, 0],
        values: { template: 'Hello to you, too! You wrote: {words}' },
      },
      {
        type: 'Prompt Template',
        key: 'other',
        at: [2, 1],
        values: { template: 'No greeting in: {words}' },
      },
      { type: 'ChatOutput', key: 'greeted', at: [3, 0] },
      { type: 'ChatOutput', key: 'answered', at: [3, 1] },
    ],
    edges: [
      ['input.message', 'router.input_text'],
      ['router.true_result', 'greeting.words'],
      ['router.false_result', 'other.words'],
      ['greeting.prompt', 'greeted.input_value'],
      ['other.prompt', 'answered.input_value'],
    ],
  },
]

/** The examples that can run with the given components. */
export function bundledExamples(components: ComponentRegistry): readonly ExampleFlow[] {
  return examples.flatMap(({ nodes, edges, ...facts }) => {
    const data = exampleGraph(components, nodes, edges)
    return data === undefined ? [] : [{ ...facts, data }]
  })
}
