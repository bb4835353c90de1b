export {
  createFlowClient,
  type ClientResult,
  type ClientRunOptions,
  type FlowClient,
  type FlowClientOptions,
} from './client/flow-client.ts'
