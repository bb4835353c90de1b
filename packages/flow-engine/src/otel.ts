export {
  openTelemetryHooks,
  type OpenTelemetryHooks,
  type OpenTelemetryOptions,
} from './otel/open-telemetry-hooks.ts'
