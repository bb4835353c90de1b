export { linkUsers, type LinkedStores, type LinkOptions } from './link/link-users.ts'
