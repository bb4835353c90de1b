/** The variables of a run's user. */
export interface VariableLookup {
  get(name: string, scope: { userId?: string; flowId: string }): Promise<string | null>
  /** True if ordinary fields that load the value may show it. Default: none may. */
  isText?(name: string, scope: { userId?: string; flowId: string }): Promise<boolean>
  /**
   * Name of the user's variable that is kept for fields with this display name; of several the first in
   * code point order. Default: none is.
   */
  forField?(field: string, scope: { userId?: string; flowId: string }): Promise<string | null>
}
