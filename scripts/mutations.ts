import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MUTATIONS } from '../test/mutations'
import { mutated, type Mutation } from '../test/mutations/mutation'
import { runTests, type Tested } from '../test/mutations/run-tests'
import { copyTree, withFault } from '../test/mutations/scratch-tree'
import { MUTATE, readMutationsArguments } from './mutations-arguments'
import { readOptions } from './options'
import { seedOfCommit } from './test/commit-seed'

const FOLDER = join('.cache', 'mutations')
const STATE = join(FOLDER, 'state.json')

/** The found faults of an interrupted run of all, with the hash of the code in which they were found. */
interface State {
  readonly hash: string
  readonly found: readonly number[]
}

const { sample, numbers } = readOptions(MUTATE, readMutationsArguments)
const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupt.abort())
process.exitCode = await main().catch((error: Error) => {
  console.error(error.message)
  return 1
})

async function main(): Promise<number> {
  for (const mutation of MUTATIONS) mutated(readFileSync(mutation.file, 'utf8'), mutation)
  const tree = copyTree(join(FOLDER, 'tree'))
  const isWhole = sample === undefined && numbers.length === 0
  const found = isWhole ? foundBefore(tree.hash) : []
  const chosen = chosenMutations().filter(({ number }) => !found.includes(number))
  if (found.length > 0) console.log(`${found.length} were found before the interruption.`)
  const isReady = await areGreen(tree.folder, chosen)
  if (interrupt.signal.aborted) return 130
  if (!isReady) return 1
  const lost: number[] = []
  for (const mutation of chosen) {
    const startedAt = Date.now()
    const tested = await withFault(tree, mutation, () => runTests(tree.folder, mutation.tests, interrupt.signal))
    if (interrupt.signal.aborted) return 130
    console.log(lineOf(mutation, tested, (Date.now() - startedAt) / 1000))
    if (tested.outcome === 'red') found.push(mutation.number)
    else lost.push(mutation.number)
    if (isWhole) writeFileSync(STATE, JSON.stringify({ hash: tree.hash, found } satisfies State))
  }
  if (isWhole && lost.length === 0) writeFileSync(STATE, '{}')
  const count = `${found.length} of ${found.length + lost.length} faults were found`
  console.log(
    lost.length === 0 ? `${count}.` : `${count}. Not found: ${lost.join(', ')}. Each needs a test that fails.`,
  )
  return lost.length === 0 ? 0 : 1
}

function chosenMutations(): readonly Mutation[] {
  if (numbers.length > 0) return MUTATIONS.filter(({ number }) => numbers.includes(number))
  if (sample === undefined) return MUTATIONS
  // A step without a common divisor with the count reaches each mutation once.
  const [seed, count] = [seedOfCommit(), MUTATIONS.length]
  return Array.from({ length: Math.min(sample, count) }, (_, index) => MUTATIONS[(seed + index * 13) % count]).filter(
    (mutation) => mutation !== undefined,
  )
}

function foundBefore(hash: string): number[] {
  mkdirSync(FOLDER, { recursive: true })
  try {
    const state = JSON.parse(readFileSync(STATE, 'utf8')) as Partial<State>
    return state.hash === hash ? [...(state.found ?? [])] : []
  } catch {
    return []
  }
}

/** A test that fails without a fault proves nothing. */
async function areGreen(folder: string, chosen: readonly Mutation[]): Promise<boolean> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))]
  const tested = files.length === 0 ? undefined : await runTests(folder, files, interrupt.signal)
  if (tested === undefined || tested.outcome === 'green') return true
  if (interrupt.signal.aborted) return false
  console.error(`The tests fail without a fault: ${textOf(tested)}`)
  return false
}

function lineOf({ number, breaks }: Mutation, tested: Tested, seconds: number): string {
  const state = { red: 'found', green: 'NOT FOUND', broken: 'BROKEN' }[tested.outcome]
  return `${String(number).padStart(2)} ${state} · ${seconds.toFixed(1)} s · ${breaks}${tested.outcome === 'green' ? '' : ` · ${textOf(tested)}`}`
}

function textOf(tested: Exclude<Tested, { outcome: 'green' }>): string {
  return tested.outcome === 'red' ? `"${tested.test}"` : tested.why
}
