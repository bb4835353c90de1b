export { defineConfig, type FlowConfig } from './command/load-config.ts'
export { RecordingMismatch } from './recording/recording-mismatch.ts'
export { replayRun, type ReplayOptions } from './recording/replay-run.ts'
