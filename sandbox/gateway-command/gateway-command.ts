import { readOptions } from '../../scripts/options'
import { compileScripts } from '../demo/demo-processes'
import { makeProcessGroup } from '../demo/process-group'
import { GATEWAY, readGatewayArguments, type GatewayArguments } from './gateway-arguments'
import { planGateway } from './gateway-plan'
import { clickLines, valueLines, warningLines } from './gateway-summary'

// Gateway simulator, relay and demo shop in front of a VASP that runs elsewhere. Exit code 2: nothing was started.
const group = makeProcessGroup('npm run gateway', say)
await run(readOptions(GATEWAY, readGatewayArguments))

function say(line: string): void {
  console.log(`  ${line}`)
}

async function run(flags: GatewayArguments): Promise<void> {
  const plan = await planGateway(flags, process.env).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(2)
  })
  console.log(`\n${[...valueLines(plan), ...warningLines(plan)].join('\n')}\n`)
  compileScripts()
  try {
    await group.start(plan.processes, plan.dataDir.text)
  } catch (error) {
    return group.stop(error instanceof Error ? error.message : String(error))
  }
  console.log(`${clickLines(plan).join('\n')}\n`)
  say('Ready. Ctrl-C stops everything.')
  group.endTogether()
}
