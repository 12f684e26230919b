import type { CallEvent } from './call.ts'
import type { Log } from './callbacks.ts'
import type { BackendMethod, CommandName } from './commands.ts'
import type { Endpoint } from './endpoint.ts'
import type { ApiRequest } from './request.ts'
import type { ExchangeParts } from './token-exchange.ts'
import type { Trace } from './tracing.ts'

/** What a handler needs. */
export interface HandlerParts extends ExchangeParts {
  readonly basePath: string
  readonly endpoints: Readonly<Record<BackendMethod, Endpoint>>
  /** The endpoints for the currencies of this moment, where these are a function. */
  readonly currentEndpoints: (() => Promise<HandlerParts['endpoints']>) | undefined
  /** The commands that the backend implements. */
  readonly commands: readonly CommandName[]
  /** Public documents by path. */
  readonly documents: ReadonlyMap<string, string>
  /** Never throws. */
  readonly log: Log
  readonly allows: ((request: ApiRequest) => boolean | Promise<boolean>) | undefined
  readonly observe: ((event: CallEvent) => unknown) | undefined
  readonly trace: Trace | undefined
}
