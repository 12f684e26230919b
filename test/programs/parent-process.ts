import { startProcess } from '../../sandbox/shared/processes'

// A process for tests. It starts a child that would run forever, and prints the child's process id once it runs.
const { child } = startProcess('child', ['--eval', 'console.log("up"); setInterval(() => {}, 1000)'], process.env)
child.stdout?.once('data', () => console.log(child.pid))
