export { createAgUiHandler } from './ag-ui/create-ag-ui-handler.ts'
