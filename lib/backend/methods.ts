import { COMMANDS, type CommandMethods, type CommandName } from 'uma-auth-vasp'
import type { Application } from './application'
import type { Admission } from '../platform/http/rate-limits'
import type { CurrencyCode } from '../money/currencies'
import type { Caller } from './callers'

/** The commands as this bank implements them: all of them. */
export type BankMethods = Required<CommandMethods<Caller, CurrencyCode, Admission>>
/** Their names, for whoever prints settings without a running server. */
export const IMPLEMENTED_COMMANDS: readonly CommandName[] = COMMANDS.map(({ name }) => name)

/** Some of them, over the nouns of the bank. */
export type MakeMethods<Name extends keyof BankMethods> = (app: Application) => Pick<BankMethods, Name>
