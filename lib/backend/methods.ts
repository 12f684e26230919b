import { COMMANDS, type CommandMethods, type CommandName } from 'uma-auth-vasp'
import type { CurrencyCode } from '../money/currencies'
import type { Admission } from '../platform/http/rate-limits'
import type { Application } from './application'
import type { Caller } from './callers'

/** The wallet's implementation of all commands. */
export type BankMethods = Required<CommandMethods<Caller, CurrencyCode, Admission>>
/** The names of all commands, for scripts that print settings without a running server. */
export const IMPLEMENTED_COMMANDS: readonly CommandName[] = COMMANDS.map(({ name }) => name)

/** A part of the commands, grouped by noun. */
export type MakeMethods<Name extends keyof BankMethods> = (app: Application) => Pick<BankMethods, Name>
