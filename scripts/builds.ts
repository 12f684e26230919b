import { z } from 'zod'
import { instancesOn } from '../lib/platform/db/postgres'
import type { Instance } from '../lib/platform/db/session-name'
import { askReady, givenServer, runCommand } from './instance'
import { BUILDS } from './operator-options'
import { parseCommandLine, readOptions } from './options'

const Ready = z.object({ version: z.string(), commit: z.string() })

await runCommand(async () => {
  readOptions(BUILDS, (args) => parseCommandLine(BUILDS, args))
  const { env } = givenServer()
  const found = env.DATABASE_URL ? await instancesOn(env.DATABASE_URL) : await theOne()
  for (const { version, commit, port, host } of found) console.log(`${version}  ${commit}  port ${port} of ${host}`)
  const builds = new Set(found.map(({ version, commit }) => `${version} ${commit}`))
  if (builds.size !== 1) console.log(builds.size === 0 ? 'No instance runs.' : `${builds.size} builds run.`)
  process.exitCode = builds.size === 1 ? 0 : 1

  /** A server on the embedded database, which only one process can open. */
  async function theOne(): Promise<Instance[]> {
    const answer = await askReady(env)
    if (answer === undefined) return []
    return [{ ...Ready.parse(answer), port: Number(env.PORT || '3000'), host: 'this machine' }]
  }
})
