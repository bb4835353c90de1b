/** Shared with the run's context, which ignores calls made by components after the run was stopped. */
export class Phase {
  current: 'running' | 'stopping' | 'ended' = 'running'
}
