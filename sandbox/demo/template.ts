import type { ChildProcess } from 'node:child_process'
import { hasTemplate } from '../../lib/platform/db/template'
import { compile, compiledPath } from '../../scripts/compiled.mjs'
import { runWork } from '../../scripts/progress.mjs'

const MAKER = 'sandbox/demo/make-template.ts'

/**
 * Makes the template of the embedded database unless it is there, in a child process, because the memory of the engine stays with its
 * process. Without a template, each first start creates its own database.
 */
export async function ensureTemplate(
  say: (line: string) => void,
  onStart: (child: ChildProcess) => void = () => {},
): Promise<void> {
  if (hasTemplate()) return
  compile([MAKER])
  const { status, output } = await runWork({
    what: 'Creating the template of the embedded database',
    command: process.execPath,
    args: [compiledPath(MAKER)],
    env: process.env,
    output: 'pipe',
    say,
    onStart,
  })
  if (status !== 0) say(`The embedded database has no template, so that its first start takes longer: ${output.trim()}`)
}
