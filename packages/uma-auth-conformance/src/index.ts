export type { ConformanceCase } from './case.ts'
export {
  CannotRun,
  COMMANDS,
  FAIL_ON,
  Failure,
  LEVELS,
  NEEDS,
  NotApplicable,
  NotRun,
  areaOf,
  type CaseResult,
  type Command,
  type Exchange,
  type FailOn,
  type Level,
  type Need,
  type Status,
} from './verdict.ts'
export { CASES } from './cases/index.ts'
export type { CaseContext } from './context.ts'
export { LIMITS, type Limits } from './http.ts'
export { htmlReport } from './report-html.ts'
export { jsonReport, junitReport, outcomeOf, summaryOf, type Outcome, type Summary } from './report.ts'
export { runConformance, type Report, type RunOptions } from './runner.ts'
export {
  readRecipe,
  signInByCommand,
  signInByRecipe,
  signInInteractively,
  type Recipe,
  type SignIn,
} from './sign-in.ts'
export { resolveTarget, type Target, type TargetFlags } from './target.ts'
export { startUmaSender, type UmaSender } from './uma-sender.ts'
export { EXIT_CODES, OPTIONS, USAGE, type OptionText } from './arguments.ts'
export { runCommandLine } from './command-line.ts'
