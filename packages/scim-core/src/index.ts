export {
  type CompareOperator,
  type AttributePath,
  type FilterLiteral,
  type ResolvedFilter,
  type SortKey,
} from './filter/resolved.ts'
export { recordData, recordDisplay, userDisplay, type ScimDocument } from './resource/document.ts'
export { compareCodePoints, fold } from './resource/fold.ts'
export {
  type AttributeDescriptor,
  type AttributeInput,
  type AttributeType,
} from './schema/attribute.ts'
export {
  isStoreUnavailable,
  isUniqueConflict,
  StoreUnavailableError,
  UniqueConflictError,
  type UniqueConstraint,
} from './store/errors.ts'
export { type GroupBrief, type GroupRecord, type GroupStore } from './store/groups.ts'
export { type KeysetPosition, type ListQuery } from './store/list-query.ts'
export { type MemberRow, type MemberStore } from './store/members.ts'
export { type ScimStore } from './store/scim-store.ts'
export {
  type ScimScope,
  type TokenPatch,
  type TokenRecord,
  type TokenStore,
} from './store/tokens.ts'
export {
  userWrite,
  type GetOptions,
  type OnUserWrite,
  type UserBrief,
  type UserRecord,
  type UserStore,
  type UserWrite,
} from './store/users.ts'
