/** Modules below `langflow` and `lfx`, with the names in each; `.` is the package itself. One row per line. */
const ROWS = `
. custom custom.custom_component custom.custom_component.component custom.custom_component.custom_component interface.custom interface.custom.custom_component|Component CustomComponent
interface template.utils utils base base.io services|
io|AuthInput BoolInput CodeInput ConnectionInput DataFrameInput DataInput DatabaseLoadInput DefaultPromptField DictInput DropdownInput FileInput FloatInput HandleInput Input IntInput JSONInput LinkInput McpInput MessageInput MessageTextInput ModelInput MultilineInput MultilineSecretInput MultiselectInput MustachePromptInput NestedDictInput Output PromptInput QueryInput SecretStrInput SliderInput SortableListInput StrInput TabInput TableInput TableSchema ToolsInput
inputs template template.field template.field.base|AuthInput BoolInput CodeInput ConnectionInput DataFrameInput DataInput DatabaseLoadInput DefaultPromptField DictInput DropdownInput FileInput FloatInput HandleInput Input IntInput JSONInput LinkInput McpInput MessageInput MessageTextInput ModelInput MultilineInput MultilineSecretInput MultiselectInput MustachePromptInput NestedDictInput Output PromptInput QueryInput SecretStrInput SliderInput SortableListInput StrInput TabInput TableInput ToolsInput
inputs.inputs|AuthInput BoolInput CodeInput ConnectionInput DataFrameInput DataInput DatabaseLoadInput DefaultPromptField DictInput DropdownInput FieldTypes FileInput FloatInput HandleInput Input IntInput JSONInput LinkInput McpInput MessageInput MessageTextInput ModelInput MultilineInput MultilineSecretInput MultiselectInput MustachePromptInput NestedDictInput Output PromptInput QueryInput SecretStrInput SliderInput SortableListInput StrInput TabInput TableInput ToolsInput
inputs.input_mixin|FieldTypes
schema schema.data schema.dataframe schema.dotdict schema.table schema.content_block schema.content_types schema.properties schema.schema schema.record|CodeContent Column ContentBlock Data DataFrame EditMode ErrorContent FieldTypes JSON JSONContent Log MediaContent Message Properties Record Source Table TableSchema TextContent ToolContent dotdict
schema.message|CodeContent Column ContentBlock Data DataFrame EditMode ErrorContent ErrorMessage FieldTypes JSON JSONContent Log MediaContent Message Properties Record Source Table TableSchema TextContent ToolContent dotdict
schema.log|CodeContent Column ContentBlock Data DataFrame EditMode ErrorContent FieldTypes JSON JSONContent Log LoggableType MediaContent Message Properties Record Source Table TableSchema TextContent ToolContent dotdict
field_typing field_typing.range_spec field_typing.constants|AgentExecutor BaseChatMemory BaseChatMessageHistory BaseChatModel BaseDocumentCompressor BaseLLM BaseLanguageModel BaseLoader BaseMemory BaseOutputParser BasePromptTemplate BaseRetriever BaseTool Callable Chain ChatPromptTemplate Code Data DataFrame Document Embeddings Input LanguageModel Memory Message NestedDict Object Output Prompt PromptTemplate RangeSpec Retriever Text TextSplitter Tool ToolEnabledLanguageModel VectorStore VectorStoreRetriever
helpers helpers.data helpers.record utils.constants utils.component_utils utils.util utils.async_helpers base.data base.data.utils|ChatComponent IMG_FILE_TYPES MESSAGE_SENDER_AI MESSAGE_SENDER_NAME_AI MESSAGE_SENDER_NAME_USER MESSAGE_SENDER_USER TEXT_FILE_TYPES TextComponent data_to_text data_to_text_list docs_to_data docs_to_records json messages_to_text records_to_text run_until_complete safe_convert set_current_fields set_field_advanced set_field_display set_multiple_field_display unescape_string
logging logging.logger log log.logger|configure logger
base.models.model_names base.models.openai_constants base.models.anthropic_constants base.models.groq_constants base.models.google_generative_ai_constants base.models.ollama_constants base.models.watsonx_constants base.models.aws_constants base.models.model_input_constants|ANTHROPIC_MODELS GOOGLE_GENERATIVE_AI_MODELS GROQ_MODELS IBM_WATSONX_URLS OPENAI_CHAT_MODEL_NAMES OPENAI_EMBEDDING_MODEL_NAMES OPENAI_MODEL_NAMES OPENAI_REASONING_MODEL_NAMES URL_LIST
base.io.text|TextComponent
base.io.chat|ChatComponent
base.models.model base.vectorstores.model base.langchain_utilities.model base.agents.agent base.embeddings.model base.chains.model base.data.base_file base.textsplitters.model base.document_transformers.model components.langchain_utilities.tool_calling components.agents base.models base.vectorstores base.langchain_utilities base.agents base.embeddings base.chains base.textsplitters base.document_transformers components components.langchain_utilities|BaseFileComponent DEFAULT_AGENT_NAME DEFAULT_TOOLS_DESCRIPTION LCAgentComponent LCChainComponent LCDocumentTransformerComponent LCEmbeddingsModel LCModelComponent LCTextSplitterComponent LCToolComponent LCToolsAgentComponent LCVectorStoreComponent ToolCallingAgentComponent check_cached_vector_store
graph|Graph
services.deps|get_cache_service get_chat_service get_db_service get_queue_service get_session get_settings_service get_storage_service get_tracing_service get_variable_service session_scope
events events.event_manager|EventManager
memory|aget_messages astore_message get_messages store_message
`

/** The names in each module below `langflow` and `lfx`; `.` is the package itself. */
export const flowNames: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ROWS.trim()
    .split('\n')
    .flatMap((row) => {
      const [paths = '', list = ''] = row.split('|')
      const names = new Set(list.split(' '))
      return paths.split(' ').map((path) => [path, names] as const)
    }),
)

/** Tests whether a module below `langflow` or `lfx` has a name, which may be that of a module inside it. */
export function isFlowName(path: string, name: string): boolean {
  const inside = path === '' ? name : `${path}.${name}`
  return flowNames.get(path === '' ? '.' : path)?.has(name) === true || flowNames.has(inside)
}
