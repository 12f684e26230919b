import { COMMANDS, type CommandName } from '../commands'
import type { CommandRoute, MissingRoute } from '../route'
import { budgetEstimateRoute } from './budget-estimate'
import { infoRoute } from './info'

const WITH_CODE: readonly CommandRoute[] = [infoRoute, budgetEstimateRoute]

/** Every command of the table with its code, or the mark that it has none. */
export const ROUTES: ReadonlyMap<CommandName, CommandRoute | MissingRoute> = new Map(
  COMMANDS.map((command) => [
    command.name,
    WITH_CODE.find((route) => route.command === command.name) ?? { command: command.name },
  ]),
)
