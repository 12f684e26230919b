export { createUmaAuthVasp, type UmaAuthVasp, type UmaAuthVaspOptions } from './vasp.ts'
export type { ApiEndpoint, Schema } from './api.ts'
export type * from './backend.ts'
export { CHECKS, type CallEvent, type Check } from './call.ts'
export type { Log } from './callbacks.ts'
export type { CallEnd, CallStart, LoginFault, Trace } from './tracing.ts'
export type { Currencies } from './currencies.ts'
export { COMMANDS, alwaysGranted, commandNamed, type Command, type CommandName } from './commands.ts'
export { ERROR_CODES, STATUS_OF_CODE, type ErrorCode } from './errors.ts'
export { PaymentPending, WalletError, type WalletErrorOptions } from './errors.ts'
export { KeyError, fromDer, importKeys, type KeyTexts, type Signer, type VaspKeys } from './keys.ts'
export { FARTHEST_OFFSET, MAX_DESCRIPTION_BYTES, MAX_EXPIRY_SECONDS, MAX_PAGE_SIZE, isDescription } from './limits.ts'
export { PENDING_SECONDS, type Login, type LoginUser, type PendingLogin } from './login.ts'
export type { OwnClaims } from './own-claims.ts'
export { checkRedirectUri, originForLog, withParameters, type LoginReturn } from './redirect-uri.ts'
export { MAX_WIRE_INTEGER, assertQuote, toWireInteger } from './replies.ts'
export { withoutUnset, type ApiRequest, type ApiResponse } from './request.ts'
export {
  LOGIN_TOKEN_SECONDS,
  addressOf,
  createTokens,
  isAddress,
  type BearerFault,
  type Clock,
  type TokenClaims,
  type TokenUse,
  type Tokens,
} from './tokens.ts'
