import { isFlowName } from './flow-names.ts'
import { isOffered, offeredPackages } from './offered-names.ts'
import { unindentedStatements } from './python-statements.ts'

/** Packages available to components besides the standard library. */
const OFFERED = new Set(
  `langflow lfx loguru dotenv pandas numpy pydantic requests httpx urllib3 aiohttp orjson yaml
  typing_extensions fastapi __future__`.split(/\s+/),
)

/** Packages with native parts, sockets or vendors' clients: no wheel makes them run in the sandbox. */
const NATIVE = new Set(
  `torch torchvision transformers sentence_transformers tensorflow keras onnxruntime spacy scipy cv2 PIL
  faiss chromadb pymilvus weaviate qdrant_client pinecone astrapy elasticsearch opensearchpy redis psycopg
  psycopg2 asyncpg pymongo motor mysql pymysql oracledb cx_Oracle pyodbc snowflake cassandra couchbase
  clickhouse_connect clickhouse_driver neo4j duckdb boto3 botocore google googleapiclient vertexai azure
  openai anthropic groq mistralai cohere ollama ibm_watsonx_ai assemblyai composio composio_langchain
  crewai crewai_tools docling docling_core unstructured selenium playwright paramiko grpc zmq kafka pika
  lxml cryptography nemoguardrails llama_index llama_cpp langchain_gigachat langchain_huggingface
  langchain_aws langchain_astradb langchain_pinecone langchain_qdrant langchain_milvus langchain_weaviate
  langchain_mongodb langchain_elasticsearch langchain_google_community langchain_google_vertexai
  langchain_together langchain_nvidia langchain_sambanova langchain_unstructured semantic_router
  youtube_transcript_api yt_dlp cleanlab_tlm`.split(/\s+/),
)

/** Base classes that require the host's models or files. */
const BASES = /\b(LCChainComponent)\b/

/** Built-in components that replace a package. */
const INSTEAD: Readonly<Record<string, string>> = {
  openai: 'Language Model',
  groq: 'Groq',
  mistralai: 'MistralAI',
  cohere: 'Cohere',
  ollama: 'Ollama',
  qdrant_client: 'Qdrant',
  langchain_qdrant: 'Qdrant',
  weaviate: 'Weaviate',
  langchain_weaviate: 'Weaviate',
  pinecone: 'Pinecone',
  langchain_pinecone: 'Pinecone',
  faiss: 'FAISS',
  opensearchpy: 'OpenSearch',
  assemblyai: 'AssemblyAI',
  psycopg2: 'SQL Database',
  psycopg: 'SQL Database',
  mysql: 'SQL Database',
  pymysql: 'SQL Database',
  semantic_router: 'Smart Router',
  docling: 'File',
  unstructured: 'File',
  langchain_unstructured: 'File',
  crewai: 'Agent',
  anthropic: 'Language Model',
  ibm_watsonx_ai: 'Language Model',
  astrapy: 'Astra DB',
  langchain_astradb: 'Astra DB',
  chromadb: 'Chroma DB',
  langchain_milvus: 'Chroma DB',
  pymilvus: 'Chroma DB',
  tavily: 'Tavily Search API',
  yfinance: 'Yahoo! Finance',
}

/**
 * Describes what the code needs but does not have: packages imported unconditionally, and unavailable base
 * classes. Undefined if nothing is missing.
 * @param modules names of additional modules
 */
export function missingNames(code: string, modules: ReadonlySet<string>): string | undefined {
  const statements = unindentedStatements(code)
  for (const statement of statements) {
    const [, name, bases] = /^class\s+(\w+)\s*\(([^)]*)\)/.exec(statement) ?? []
    const base = BASES.exec(bases ?? '')?.[1]
    if (base !== undefined) {
      return `${name} derives from ${base}, which is not available to Python components`
    }
  }
  const missing = [...new Set([...statements.flatMap(importedPackages), ...neededInside(code)])]
    .filter(
      (name) =>
        !OFFERED.has(name) &&
        !offeredPackages.has(name) &&
        !modules.has(name) &&
        !STANDARD.has(name),
    )
    .toSorted()
  if (missing.length === 0) return notOffered(statements, modules)
  const native = missing.filter((name) => NATIVE.has(name))
  const instead = [...new Set(missing.flatMap((name) => INSTEAD[name] ?? []))]
  if (native.length > 0) {
    const what = native.length === 1 ? 'package' : 'packages'
    const by = instead.length === 0 ? '' : ` by ${instead.join(', ')}`
    return `needs the Python ${what} ${quoted(native)}, which cannot run in the sandbox. Replace the node${by}.`
  }
  const names = quoted(missing)
  const same = instead.length === 0 ? '' : ` The built-in ${instead.join(', ')} does the same.`
  const [packages, wheels] = missing.length === 1 ? ['package', 'wheel'] : ['packages', 'wheels']
  return `needs the Python ${packages} ${names}, which this server does not have. Put the ${wheels} into SERVICE_PYTHON_WHEELS or replace the node.${same}`
}

/** Names the first import of a name that a package lacks, as the import itself would. */
function notOffered(
  statements: readonly string[],
  modules: ReadonlySet<string>,
): string | undefined {
  for (const statement of statements) {
    const [, path = '', list = ''] =
      /^from\s+([A-Za-z_][\w.]*)\s+import\s+(\S.*)$/.exec(statement) ?? []
    const top = path.split('.', 1)[0] ?? ''
    const isFlow = top === 'langflow' || top === 'lfx'
    if ((!isFlow && !offeredPackages.has(top)) || modules.has(top)) continue
    const inside = path.slice(top.length + 1)
    const names = list.split(',').flatMap((one) => /^[\s(]*(\w+)/.exec(one)?.[1] ?? [])
    const missing = names.find((name) =>
      isFlow ? !isFlowName(inside, name) : !isOffered(path, name),
    )
    if (missing !== undefined)
      return `ImportError: ${missing} of ${path} is not available to Python components`
  }
  return undefined
}

/**
 * Packages with native parts that the method which every use of the component calls cannot do without:
 * imported in its body as such, or in a `try` that raises when they are absent.
 */
function neededInside(code: string): string[] {
  const lines = code.split('\n')
  const start = lines.findIndex((line) => MAKERS.test(line))
  if (start < 0) return []
  const indent = indentOf(lines[start] ?? '')
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => line.trim() !== '' && indentOf(line) <= indent)
  const body = (end < 0 ? rest : rest.slice(0, end)).filter((line) => line.trim() !== '')
  const inside = indentOf(body[0] ?? '')
  const needed = body.filter((line, at) => {
    if (!/^\s*(?:from|import)\s/.test(line)) return false
    return indentOf(line) === inside || isTriedOrRaised(body.slice(0, at), body.slice(at + 1))
  })
  return needed.flatMap((line) => importedPackages(line.trim())).filter((name) => NATIVE.has(name))
}

const MAKERS = /^\s+(?:async )?def (?:build_vector_store|build_model|build_embeddings)\(/

const indentOf = (line: string): number => line.length - line.trimStart().length

function isTriedOrRaised(before: readonly string[], after: readonly string[]): boolean {
  if (before.at(-1)?.trim() !== 'try:') return false
  const except = after.findIndex((line) => /^\s*except\b/.test(line))
  if (!/^\s*except \(?(?:ImportError|ModuleNotFoundError)/.test(after[except] ?? '')) return false
  return after.slice(except + 1, except + 5).some((line) => /^\s*raise\b/.test(line))
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

function importedPackages(statement: string): string[] {
  const from = /^from\s+([A-Za-z_]\w*)(?:\.[\w.]*)?\s+import\b/.exec(statement)?.[1]
  if (from !== undefined) return [from]
  const list = /^import\s+(\S.*)$/.exec(statement)?.[1] ?? ''
  return list.split(',').flatMap((one) => /^\s*([A-Za-z_]\w*)/.exec(one)?.[1] ?? [])
}

/** Top-level modules of the Python 3.14 standard library included in the interpreter. */
const STANDARD = new Set(
  `abc annotationlib argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar
  cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser
  contextlib contextvars copy copyreg cProfile csv dataclasses datetime dbm decimal difflib dis doctest
  email encodings enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc
  getopt getpass gettext glob graphlib gzip hashlib heapq hmac html http imaplib importlib inspect io
  ipaddress itertools json keyword linecache locale logging lzma mailbox marshal math mimetypes mmap
  modulefinder multiprocessing netrc numbers opcode operator optparse os pathlib pdb pickle pickletools
  pkgutil platform plistlib poplib posixpath pprint profile pstats pty py_compile pyclbr pydoc queue
  quopri random re reprlib rlcompleter runpy sched secrets select selectors shelve shlex shutil signal
  site smtplib socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess
  symtable sys sysconfig tabnanny tarfile tempfile textwrap this threading time timeit token tokenize
  tomllib trace traceback tracemalloc types typing unicodedata unittest urllib uuid venv warnings wave
  weakref webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo`
    .trim()
    .split(/\s+/),
)
