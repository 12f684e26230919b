import type { ApiResponse, CallContext, CallEvent, UmaAuthVasp } from 'uma-auth-vasp'
import type { NodeHandler, toNodeHandler } from 'uma-auth-vasp/node-http'
import type { Admission } from '../platform/http/rate-limits'
import type { Caller } from './callers'

export type CommandMethod = (caller: Caller, input: unknown, context: CallContext<Admission>) => Promise<unknown>

/** What the client receives instead of the response that the event reports. */
export interface InjectedResponse {
  /** The kind of the fault. */
  readonly kind: string
  /** Undefined: the connection is closed without a response. */
  readonly sent: Pick<ApiResponse, 'status' | 'text'> | undefined
}

/**
 * Makes a connection's calls fail, as the connection's owner has requested. Implemented in `lib/sandbox/faults`, which is loaded only with
 * the sandbox tools.
 */
export interface FaultInjector {
  /** Wraps a method with the faults of the calling connection. The faults apply after all checks of the call. */
  inMethod(method: CommandMethod): CommandMethod
  /** Wraps the VASP so that each response shows the fault that was injected into its call. */
  inResponses(vasp: UmaAuthVasp): UmaAuthVasp
  /** Undefined for a call without a fault. */
  responseOf(event: CallEvent): InjectedResponse | undefined
  /** Like the package's handler for `node:http`, but closes the connection when a fault requires it. */
  nodeHandler(vasp: UmaAuthVasp, options: Parameters<typeof toNodeHandler>[1]): NodeHandler
  /** Ends all delays. */
  close(): void
}
