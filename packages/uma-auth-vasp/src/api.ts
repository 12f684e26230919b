import type { Command } from './commands.ts'
import type { ApiRequest, ApiResponse } from './request.ts'

// The public types of the API. They name no schema library: which one checks the values is no part of the package's contract.

/** Checks values of one kind, such as the bodies of one endpoint. */
export interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown }
}

/** One endpoint of the API, for tools that describe it. */
export interface ApiEndpoint {
  readonly command: Command
  /** Variable segments of the path. */
  readonly params: Schema | undefined
  readonly query: Schema | undefined
  /** Names of its query parameters. */
  readonly queryNames: readonly string[]
  readonly body: Schema | undefined
  readonly reply: Schema
  /** Refusals in addition to those of every endpoint, for the OpenAPI document. */
  readonly refusals: Readonly<Partial<Record<'404' | '501' | '504', string>>>
}

export interface Handler {
  /** Like the VASP's `fetch`, but without Request and Response objects, for `node:http`. */
  handle(request: ApiRequest): Promise<ApiResponse>
}
