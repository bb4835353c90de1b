import { defineAdapterContract } from './adapter-contract.ts'
import { whatwgOracle } from './mounts.ts'

defineAdapterContract(whatwgOracle)
