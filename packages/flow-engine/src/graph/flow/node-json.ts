/** A template field in wire form and spelling (FE-3); unknown keys are kept. */
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

/** The editor also keeps plain entries in a template, such as `_type`; read fields with `templateField`. */
export type NodeTemplate = Record<string, TemplateField>

/** An output in wire form (FE-4). */
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

/** `data.node` of a flow's node: what the editor shows. */
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

/** A node of a flow (FE-2). */
export interface FlowNode {
  id: string
  type?: string
  position?: { x: number; y: number }
  data: { id?: string; type: string; node: NodeDetails; [key: string]: unknown }
  [key: string]: unknown
}

/** An edge of a flow (FE-5). */
export interface FlowEdge {
  id?: string
  source: string
  target: string
  sourceHandle?: string
  targetHandle?: string
  data?: { sourceHandle?: unknown; targetHandle?: unknown; [key: string]: unknown }
  [key: string]: unknown
}

/** A flow as the editor exports it (FE-1): the graph itself or an object with the graph in `data`. */
export interface FlowJson {
  id?: string
  name?: string
  data?: { nodes?: FlowNode[]; edges?: FlowEdge[]; [key: string]: unknown } | null
  nodes?: FlowNode[]
  edges?: FlowEdge[]
  [key: string]: unknown
}
