export { createDiskBlobStore } from './node/disk-blob-store.ts'
export { createDiskFlowFiles } from './node/disk-flow-files.ts'
export { createDiskProfilePictures } from './node/disk-profile-pictures.ts'
export { createScryptHasher, type ScryptOptions } from './node/scrypt-hasher.ts'
