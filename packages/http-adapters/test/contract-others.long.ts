import { defineAdapterContract } from './adapter-contract.ts'
import { express4Mount, genuineMount, honoOracle, whatwgOracle } from './mounts.ts'

defineAdapterContract(express4Mount)
defineAdapterContract(genuineMount)
defineAdapterContract(honoOracle)
defineAdapterContract(whatwgOracle)
