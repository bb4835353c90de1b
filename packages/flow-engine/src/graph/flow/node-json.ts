/** A template field in wire format; unknown keys are preserved. */
export interface TemplateField {
  type?: string
  _input_type?: string
  name?: string
  display_name?: string
  value?: unknown
  required?: boolean
  show?: boolean
  advanced?: boolean
  list?: boolean
  is_list?: boolean
  input_types?: string[] | null
  options?: unknown
  load_from_db?: boolean
  tool_mode?: boolean
  file_path?: unknown
  real_time_refresh?: boolean
  [key: string]: unknown
}

/** A template may also contain plain entries such as `_type`; read fields with `templateField`. */
export type NodeTemplate = Record<string, TemplateField>

/** An output in wire format. */
export interface NodeOutput {
  name: string
  display_name?: string
  method?: string
  types?: string[]
  selected?: string
  cache?: boolean
  allows_loop?: boolean
  group_outputs?: boolean
  tool_mode?: boolean
  hidden?: boolean | null
  required_inputs?: string[] | null
  loop_types?: string[] | null
  options?: unknown
  [key: string]: unknown
}

/** `data.node` of a node: the part the editor displays. */
export interface NodeDetails {
  template: NodeTemplate
  outputs?: NodeOutput[]
  display_name?: string
  description?: string
  icon?: string
  base_classes?: string[]
  field_order?: string[]
  frozen?: boolean
  legacy?: boolean
  beta?: boolean
  edited?: boolean
  tool_mode?: boolean
  metadata?: Record<string, unknown>
  [key: string]: unknown
}

/** A node of a flow. */
export interface FlowNode {
  id: string
  type?: string
  position?: { x: number; y: number }
  data: { id?: string; type: string; node: NodeDetails; [key: string]: unknown }
  [key: string]: unknown
}

/** An edge of a flow. */
export interface FlowEdge {
  id?: string
  source: string
  target: string
  sourceHandle?: string
  targetHandle?: string
  data?: { sourceHandle?: unknown; targetHandle?: unknown; [key: string]: unknown }
  [key: string]: unknown
}

/** A flow as exported by the editor: the graph itself, or an object with the graph in `data`. */
export interface FlowJson {
  id?: string
  name?: string
  data?: { nodes?: FlowNode[]; edges?: FlowEdge[]; [key: string]: unknown } | null
  nodes?: FlowNode[]
  edges?: FlowEdge[]
  [key: string]: unknown
}
