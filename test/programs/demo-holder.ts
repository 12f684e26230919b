import { lockDemo } from '../../sandbox/demo/demo-lock'
import { startProcess } from '../../sandbox/shared/processes'

// A process for tests: a demo with one child. It stops in two steps, so that a test decides how long stopping takes: on
// SIGTERM it says that it is stopping, and at the end of its stdin it ends.
const [folder = ''] = process.argv.slice(2)
const lock = await lockDemo(folder, { say: console.log })
lock.answersAt('http://localhost:3000')
const { child } = startProcess('relay', ['--eval', 'setInterval(() => {}, 1_000)'], process.env)
lock.started('relay', child.pid)
process.on('SIGTERM', () => {
  lock.stopping()
  console.log('stopping')
})
process.stdin.resume().once('end', () => process.exit(0))
console.log(`locked ${child.pid}`)
