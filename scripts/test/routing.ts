import { browserSteps } from './browser-steps'
import { partySteps } from './party-steps'
import { vitestStep, type Step } from './step'

/** Which runner takes a test file. The first pattern that fits wins. */
const ROUTES: readonly (readonly [RegExp, Route])[] = [
  [/^e2e\/.+\.spec\.ts$/, 'browser'],
  [/^test\/process\/.+\.process\.test\.ts$/, 'process'],
  [/^test\/proxies\/.+\.proxy\.test\.ts$/, 'proxies'],
  [/^test\/load\/.+\.load\.test\.ts$/, 'load'],
  [/^test\/bad-input\/.+\.input\.test\.ts$/, 'input'],
  [/^test\/simulation\/.+\.sim\.test\.ts$/, 'simulation'],
  [/^test\/conformance\/.+\.conformance\.test\.ts$/, 'conformance'],
  [/^test\/parties\/.+\.party\.test\.ts$/, 'parties'],
  [/^(lib|app|sandbox|scripts|test)\/.+\.db\.test\.ts$/, 'database'],
  [/^(examples|test\/process)\/.+\.package\.test\.ts$/, 'package'],
  [/^scripts\/patterns\.test\.ts$/, 'patterns'],
  [/^(bench|examples|lib|app|packages|sandbox|scripts)\/.+\.test\.tsx?$/, 'unit'],
]
const NEED_BUILD: readonly Route[] = ['browser', 'process', 'proxies', 'load', 'conformance', 'package', 'parties']

export type Route =
  | 'unit'
  | 'patterns'
  | 'database'
  | 'input'
  | 'simulation'
  | 'process'
  | 'proxies'
  | 'load'
  | 'conformance'
  | 'package'
  | 'parties'
  | 'browser'

export interface FileRun {
  readonly name: Route
  readonly files: readonly string[]
  readonly needsBuild: boolean
  /** Any of the files may install packages. */
  readonly needsRegistry: 'the npm registry'
  readonly steps: () => readonly Step[]
}

/** Undefined for a path that no runner takes. */
export function routeOf(file: string): Route | undefined {
  return ROUTES.find(([pattern]) => pattern.test(file))?.[1]
}

/** One run for each runner, in the order of the first file that needs it. Each path has a route. */
export function runsOfFiles(files: readonly string[]): readonly FileRun[] {
  const groups = new Map<Route, string[]>()
  for (const file of files) {
    const route = routeOf(file)
    if (route !== undefined) groups.set(route, [...(groups.get(route) ?? []), file])
  }
  return [...groups].map(([name, own]) => ({
    name,
    files: own,
    needsBuild: NEED_BUILD.includes(name),
    needsRegistry: 'the npm registry',
    steps: () => {
      if (name === 'browser') return browserSteps({ files: own, workers: Math.min(own.length, 2) })
      if (name === 'parties') return partySteps(own)
      return [vitestStep(name === 'database' ? 'db' : name, { args: own })]
    },
  }))
}
