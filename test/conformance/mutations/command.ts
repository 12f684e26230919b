import { MUTATIONS } from '.'
import { findingLine, findingsSummary, findMistakes } from './run'

// `npm run conformance -- --self --mutants`. Exit code 0 when every planted mistake is found.

const findings = await findMistakes(MUTATIONS, (finding) => void process.stdout.write(findingLine(finding)))
process.stdout.write(findingsSummary(findings))
process.exitCode = findings.every(({ foundBy }) => foundBy !== 'nothing') ? 0 : 1
