/** Shared with the run's context: what components do after the run was stopped is dropped. */
export class Phase {
  current: 'running' | 'stopping' | 'ended' = 'running'
}
