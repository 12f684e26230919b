import { runScript, type Ran } from './run-script'

/** Runs `npm run users` with this text on its standard input. */
export function runUsers(env: Readonly<Record<string, string>>, args: readonly string[], input = ''): Promise<Ran> {
  return runScript('scripts/users.ts', env, args, input)
}
